// Delete the own node of a set of profiles, if the writer still owns it.
MATCH (p:Profiles {name: $profiles})
SET p.touched = datetime()
WITH p WHERE p.writer = $writer
DELETE p
RETURN count(*) AS deleted
