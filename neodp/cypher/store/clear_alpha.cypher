// Remove a graph's alpha; its mechanism is void, and whoever is writing one has lost the graph.
MATCH (g:DatasetGraph {name: $graph}) WHERE coalesce(g.state, 'ready') = 'ready'
SET g.revision = randomUUID()
REMOVE g.writer, g.mechanism, g.fingerprint, g.written, g.min_p_true, g.mean_p_true
WITH g
OPTIONAL MATCH (d:Dataset {graph: $graph}) WHERE d.alpha IS NOT NULL
REMOVE d.alpha
RETURN count(DISTINCT g) AS claimed
