// Declare a set of profiles whole, if the writer still owns it.
MATCH (p:Profiles {name: $profiles})
SET p.touched = datetime()
WITH p WHERE p.writer = $writer
SET p.state = 'ready', p.users = $users, p.items = $items, p.likes = $likes, p.created = datetime()
REMOVE p.writer
RETURN count(p) AS finished
