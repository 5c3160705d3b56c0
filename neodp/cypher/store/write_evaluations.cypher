// Write the probabilities at some datasets, if the graph is still what it was; null is not stored.
MATCH (g:DatasetGraph {name: $graph})
SET g.touched = datetime()
WITH g WHERE coalesce(g.state, 'ready') = 'ready' AND coalesce(g.revision, '') = coalesce($revision, '')
UNWIND range(0, size($keys) - 1) AS i
MATCH (d:Dataset {graph: $graph, key: $keys[i]})
SET d.p = $ps[i], d.q = $qs[i], d.probabilities = $distributions[i], d.p_true = $p_trues[i]
RETURN count(d) AS written
