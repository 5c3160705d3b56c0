// Mark a graph's mechanism as void while one writer replaces it.
MATCH (g:DatasetGraph {name: $graph}) WHERE coalesce(g.state, 'ready') = 'ready'
SET g.writer = $writer
REMOVE g.mechanism, g.fingerprint, g.written, g.min_p_true, g.mean_p_true
RETURN count(g) AS claimed
