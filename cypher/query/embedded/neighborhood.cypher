// The neighbours of one dataset, with the edges to them.
// $key
MATCH (g:DatasetGraph {name: $graph})
MATCH (d:Dataset {graph: $graph, key: $key})-[r:NEIGHBOR]-(n:Dataset {graph: $graph})
RETURN n.key AS key, n.color AS color, n.preference AS preference, n.alpha AS alpha, n.alphas AS alphas,
       n.p_true AS p_true, r.epsilon AS epsilon, coalesce(r.delta, 0.0) AS delta
ORDER BY key
