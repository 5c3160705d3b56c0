// The edges that start at some datasets. OPTIONAL keeps the order of work: first the datasets, then their edges.
UNWIND $ids AS wanted
MATCH (a:Dataset {id: wanted})
OPTIONAL MATCH (a)-[r:NEIGHBOR]->(b:Dataset)
RETURN offset(id(a)) AS source, offset(id(b)) AS target, r.epsilon AS epsilon, coalesce(r.delta, 0.0) AS delta
