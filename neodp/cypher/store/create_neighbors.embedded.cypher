// Create edges from columns, in a transaction with anything else.
LOAD FROM $rows
MATCH (a:Dataset {id: source})
MATCH (b:Dataset {id: target})
CREATE (a)-[:NEIGHBOR {epsilon: epsilon, delta: delta}]->(b)
