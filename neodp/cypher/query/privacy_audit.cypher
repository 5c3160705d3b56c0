// The edges whose stored probabilities exceed their epsilon and delta by more than rounding (a relative 1e-12).
// With two colours; 'neodp audit' decides exactly, and for any number of colours.
// $limit = 100
MATCH (g:DatasetGraph {name: $graph}) WHERE g.mechanism IS NOT NULL
MATCH (a:Dataset {graph: $graph})-[r:NEIGHBOR]->(b:Dataset {graph: $graph})
WITH a, b, r, exp(r.epsilon) AS grow, coalesce(r.delta, 0.0) AS delta, 1.0 + 1e-12 AS slack
WHERE a.p > (grow * b.p + delta) * slack OR b.p > (grow * a.p + delta) * slack
   OR a.q > (grow * b.q + delta) * slack OR b.q > (grow * a.q + delta) * slack
RETURN a.key AS source, b.key AS target, r.epsilon AS epsilon, delta,
       a.p AS source_p, b.p AS target_p, a.q AS source_q, b.q AS target_q
ORDER BY source, target LIMIT $limit
