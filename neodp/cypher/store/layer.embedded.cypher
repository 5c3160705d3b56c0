// The datasets one edge away from some. OPTIONAL keeps the order of work: first the datasets, then their edges.
UNWIND $ids AS wanted
MATCH (d:Dataset {id: wanted})
OPTIONAL MATCH (d)-[:NEIGHBOR]-(n:Dataset {graph: $graph})
RETURN DISTINCT n.id AS id
