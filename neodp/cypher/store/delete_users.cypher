// Delete some of a profile's users with their relationships, if the writer still owns it.
MATCH (p:Profiles {name: $profiles})
SET p.touched = datetime()
WITH p WHERE p.writer = $writer
MATCH (u:User) WHERE u.profile = $profiles AND u.id IS NOT NULL
WITH u LIMIT $batch
DETACH DELETE u
RETURN count(u) AS deleted
