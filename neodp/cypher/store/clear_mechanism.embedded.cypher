// Mark a graph's mechanism as void.
MATCH (g:DatasetGraph) WHERE g.name = $graph
SET g.mechanism = NULL, g.fingerprint = NULL, g.written = NULL, g.min_p_true = NULL, g.mean_p_true = NULL
