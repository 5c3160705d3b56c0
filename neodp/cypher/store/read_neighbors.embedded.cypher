// The edges that start at a graph's datasets.
MATCH (a:Dataset)-[r:NEIGHBOR]->(b:Dataset) WHERE a.graph = $graph
RETURN offset(id(a)) AS source, offset(id(b)) AS target, r.epsilon AS epsilon, coalesce(r.delta, 0.0) AS delta
