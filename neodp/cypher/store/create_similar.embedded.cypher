// Create neighbours from columns.
LOAD FROM $rows
MATCH (a:User {key: user})
MATCH (b:User {key: other})
CREATE (a)-[:SIMILAR {score: score, rank: place, measure: measure, epsilon: epsilon}]->(b)
RETURN count(*) AS created
