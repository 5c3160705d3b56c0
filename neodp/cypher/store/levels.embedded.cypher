// The least and the greatest epsilon of a graph's edges, and the greatest delta.
MATCH (a:Dataset)-[r:NEIGHBOR]->(b:Dataset) WHERE a.graph = $graph
RETURN coalesce(min(r.epsilon), 0.0) AS least, coalesce(max(r.epsilon), 0.0) AS greatest, coalesce(max(r.delta), 0.0) AS delta
