// Create edges from columns. Not by COPY: a kill between its commit and the checkpoint after it loses the rows.
LOAD FROM $rows
MATCH (a:Dataset {id: source})
MATCH (b:Dataset {id: target})
CREATE (a)-[:NEIGHBOR {epsilon: epsilon, delta: delta}]->(b)
