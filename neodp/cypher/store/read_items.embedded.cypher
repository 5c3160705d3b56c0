// A profile's items.
MATCH (i:Item) WHERE i.`profile` = $profiles
RETURN offset(id(i)) AS position, i.id AS id
