// Mark a set of profiles as being loaded or dropped by one writer.
MATCH (p:Profiles {name: $profiles})
SET p.state = $state, p.writer = $writer, p.revision = $writer
REMOVE p.users, p.items, p.likes
RETURN count(p) AS claimed
