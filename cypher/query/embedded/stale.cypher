// The datasets whose stored probabilities are missing, or do not fit their colour or alpha any more; all of them where
// neodp knows that the graph has changed since its mechanism was written.
// A change of an epsilon or of an edge shows in 'privacy_audit' at the earliest, and in 'neodp audit' at the latest.
// $limit = 100
MATCH (g:DatasetGraph {name: $graph})
MATCH (d:Dataset {graph: $graph})
WITH g, d, CASE
    WHEN g.mechanism IS NULL OR d.p_true IS NULL THEN 'missing'
    WHEN size(g.colors) = 2 AND d.p_true <> CASE WHEN d.color = g.colors[1] THEN d.p ELSE d.q END THEN 'color changed'
    WHEN size(g.colors) = 2 AND abs(d.alpha - d.p) > 1e-12 THEN 'alpha changed'
    WHEN size(g.colors) > 2 AND d.p_true <> d.probabilities[list_position(g.colors, d.color)] THEN 'color changed'
    WHEN size(g.colors) > 2 AND d.alphas IS NOT NULL
         AND any(i IN range(1, size(g.colors)) WHERE abs(d.alphas[i] - d.probabilities[i]) > 1e-12) THEN 'alpha changed'
    WHEN coalesce(g.stale, false) THEN 'graph changed'
  END AS reason
WHERE reason IS NOT NULL
RETURN d.key AS key, d.color AS color, d.alpha AS alpha, d.alphas AS alphas, d.p_true AS p_true, reason
ORDER BY key LIMIT $limit
