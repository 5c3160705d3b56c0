// The datasets whose stored probabilities are missing, or do not fit their colour or alpha any more; all of them where
// neodp knows that the graph has changed since its mechanism was written.
// A change of an epsilon or of an edge shows in 'privacy_audit' at the earliest, and in 'neodp audit' at the latest.
// $limit = 100
MATCH (g:DatasetGraph {name: $graph})
MATCH (d:Dataset {graph: $graph})
WITH g, d, CASE
    WHEN g.mechanism IS NULL OR d.p_true IS NULL THEN 'missing'
    WHEN size(g.colors) = 2 AND d.p_true <> CASE WHEN d.color = g.colors[0] THEN d.p ELSE d.q END THEN 'color changed'
    WHEN size(g.colors) = 2 AND d.alpha IS :: FLOAT AND abs(d.alpha - d.p) > 1e-12 THEN 'alpha changed'
    WHEN size(g.colors) > 2 AND d.p_true <> [i IN range(0, size(g.colors) - 1) WHERE g.colors[i] = d.color
                                             | d.probabilities[i]][0] THEN 'color changed'
    WHEN size(g.colors) > 2 AND any(i IN range(0, size(g.colors) - 1)
                                    WHERE abs(d.alpha[i] - d.probabilities[i]) > 1e-12) THEN 'alpha changed'
    WHEN coalesce(g.stale, false) THEN 'graph changed'
  END AS reason
WHERE reason IS NOT NULL
RETURN d.key AS key, d.color AS color, d.alpha AS alpha, d.p_true AS p_true, reason
ORDER BY key LIMIT $limit
