// Create edges from columns.
LOAD FROM $rows
MATCH (a:Dataset {id: source})
MATCH (b:Dataset {id: target})
CREATE (a)-[:NEIGHBOR {epsilon: epsilon, delta: delta}]->(b)
