// The edges whose stored probabilities exceed their epsilon and delta by more than rounding (a relative 1e-12): where the
// probabilities of some outputs at one end exceed e^epsilon times those at the other by more than delta in sum.
// 'neodp audit' decides exactly, and also checks mechanisms for another privacy notion, about which this says nothing.
// $limit = 100
MATCH (g:DatasetGraph {name: $graph}) WHERE g.mechanism IS NOT NULL
  AND coalesce(g.mechanism_privacy, 'epsilon-delta') = 'epsilon-delta'
MATCH (a:Dataset {graph: $graph})-[r:NEIGHBOR]->(b:Dataset {graph: $graph})
WITH a, b, r, exp(r.epsilon) AS grow, coalesce(r.delta, 0.0) AS delta, 1.0 + 1e-12 AS slack,
     coalesce(a.probabilities, [a.p, a.q]) AS one, coalesce(b.probabilities, [b.p, b.q]) AS two
WITH a, b, r, delta, one, two, delta * slack AS allowed, grow * slack AS factor
WITH a, b, r, delta, one, two, allowed,
     reduce(sum = 0.0, i IN range(0, size(one) - 1) |
       sum + CASE WHEN one[i] > factor * two[i] THEN one[i] - factor * two[i] ELSE 0.0 END) AS there,
     reduce(sum = 0.0, i IN range(0, size(one) - 1) |
       sum + CASE WHEN two[i] > factor * one[i] THEN two[i] - factor * one[i] ELSE 0.0 END) AS back
WHERE there > allowed OR back > allowed
RETURN a.key AS source, b.key AS target, r.epsilon AS epsilon, delta,
       a.p AS source_p, b.p AS target_p, a.q AS source_q, b.q AS target_q,
       one AS source_probabilities, two AS target_probabilities
ORDER BY source, target LIMIT $limit
