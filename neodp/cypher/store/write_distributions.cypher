// Write the probabilities of more than two colours from columns, if the writer still owns the graph.
MATCH (g:DatasetGraph {name: $graph})
SET g.touched = datetime()
WITH g WHERE g.writer = $writer
UNWIND range(0, size($ids) - 1) AS i
MATCH (d) WHERE elementId(d) = $ids[i] AND d.graph = $graph
SET d.probabilities = $distributions[i], d.p_true = $p_trues[i], d.distance = $distances[i]
RETURN count(d) AS written
