// A profile's likes. One without a weight counts as 0, which shows nothing; one without a value counts as 1.
MATCH (u:User)-[r:LIKES]->(i:Item) WHERE u.`profile` = $profiles AND i.`profile` = $profiles
RETURN u.id AS user, i.id AS item, coalesce(r.weight, 0.0) AS weight, coalesce(r.value, 1.0) AS value
