// How often datasets are answered truthfully, by how many edges they are away from the boundary.
MATCH (g:DatasetGraph {name: $graph}) WHERE g.mechanism IS NOT NULL
MATCH (d:Dataset {graph: $graph})
RETURN d.distance AS distance, count(d) AS datasets,
       min(d.p_true) AS min_p_true, avg(d.p_true) AS mean_p_true, max(d.p_true) AS max_p_true
ORDER BY distance
