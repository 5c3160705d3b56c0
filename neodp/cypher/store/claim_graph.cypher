// Mark a graph as being loaded or dropped by one writer, and its mechanism as void.
MATCH (g:DatasetGraph {name: $graph})
SET g.state = $state, g.writer = $writer, g.revision = $writer
REMOVE g.mechanism, g.fingerprint, g.written, g.min_p_true, g.mean_p_true, g.datasets, g.edges
RETURN count(g) AS claimed
