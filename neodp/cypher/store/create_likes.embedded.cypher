// Create likes from columns.
LOAD FROM $rows
MATCH (u:User {key: user})
MATCH (t:Item {key: item})
CREATE (u)-[:LIKES {weight: weight, value: value}]->(t)
