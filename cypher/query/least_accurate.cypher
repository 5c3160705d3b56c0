// The datasets that are answered truthfully least often.
// $limit = 10
MATCH (g:DatasetGraph {name: $graph}) WHERE g.mechanism IS NOT NULL
MATCH (d:Dataset {graph: $graph})
RETURN d.key AS key, d.color AS color, d.p_true AS p_true, d.distance AS distance
ORDER BY p_true, key LIMIT $limit
