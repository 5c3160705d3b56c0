// Delete a profile's items with their relationships.
MATCH (i:Item) WHERE i.`profile` = $profiles
DETACH DELETE i
RETURN count(*) AS deleted
