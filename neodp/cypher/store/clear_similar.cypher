// Forget the neighbours of some users of a profile that is whole; how many of the users there are.
MATCH (p:Profiles {name: $profiles})
SET p.touched = datetime()
WITH p WHERE coalesce(p.state, 'ready') = 'ready'
UNWIND $users AS id
MATCH (u:User {profile: $profiles, id: id})
OPTIONAL MATCH (u)-[s:SIMILAR]->()
DELETE s
RETURN count(DISTINCT u) AS found
