// Create likes from columns, if the writer still owns the profile.
MATCH (p:Profiles {name: $profiles})
SET p.touched = datetime()
WITH p WHERE p.writer = $writer
UNWIND range(0, size($users) - 1) AS i
MATCH (u) WHERE elementId(u) = $users[i]
MATCH (t) WHERE elementId(t) = $items[i]
CREATE (u)-[:LIKES {weight: $weights[i], value: $values[i]}]->(t)
RETURN count(*) AS created
