// Delete some of a profile's items with their relationships, if the writer still owns it.
MATCH (p:Profiles {name: $profiles})
SET p.touched = datetime()
WITH p WHERE p.writer = $writer
MATCH (i:Item) WHERE i.profile = $profiles AND i.id IS NOT NULL
WITH i LIMIT $batch
DETACH DELETE i
RETURN count(i) AS deleted
