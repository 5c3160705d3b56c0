// The edges at some datasets in either direction, as columns; and which of the keys there are.
UNWIND $keys AS key
OPTIONAL MATCH (d:Dataset {graph: $graph, key: key})
OPTIONAL MATCH (d)-[r:NEIGHBOR]-(n:Dataset {graph: $graph})
WITH collect(DISTINCT d.key) AS known, collect(CASE WHEN r IS NOT NULL THEN {k: key, n: n, r: r} END) AS found
RETURN known, [f IN found | f.k] AS keys, [f IN found | f.n.key] AS neighbors, [f IN found | f.n.color] AS colors,
       [f IN found | f.n.alpha] AS alphas, [f IN found | f.n.preference] AS preferences,
       [f IN found | f.r.epsilon] AS epsilons, [f IN found | coalesce(f.r.delta, 0.0)] AS deltas
