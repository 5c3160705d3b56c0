// The edges that start at some datasets, as columns; a source is its position among $ids.
UNWIND range(0, size($ids) - 1) AS i
MATCH (a) WHERE elementId(a) = $ids[i]
MATCH (a)-[r:NEIGHBOR]->(b:Dataset)
WHERE b.graph = $graph
RETURN collect(i) AS sources, collect(b.key) AS targets,
       collect(coalesce(r.epsilon, 0.0 / 0.0)) AS epsilons, collect(coalesce(r.delta, 0.0)) AS deltas
