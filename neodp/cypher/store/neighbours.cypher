// The edges at some datasets in either direction, as columns.
UNWIND $keys AS key
MATCH (d:Dataset {graph: $graph, key: key})-[r:NEIGHBOR]-(n:Dataset {graph: $graph})
WITH collect({k: key, n: n, r: r}) AS found
RETURN [f IN found | f.k] AS keys, [f IN found | f.n.key] AS neighbours, [f IN found | f.n.color] AS colors,
       [f IN found | f.n.alpha] AS alphas, [f IN found | f.r.epsilon] AS epsilons, [f IN found | coalesce(f.r.delta, 0.0)] AS deltas
