// Declare a mechanism whole, if the writer still owns the graph and no dataset has come or gone.
MATCH (g:DatasetGraph {name: $graph})
SET g.touched = datetime()
WITH g WHERE g.writer = $writer AND COUNT { MATCH (:Dataset {graph: $graph}) } = $datasets
SET g.mechanism = $writer, g.fingerprint = $fingerprint, g.written = datetime(),
    g.min_p_true = $min_p_true, g.mean_p_true = $mean_p_true, g.datasets = $datasets, g.edges = $edges
REMOVE g.writer
RETURN count(g) AS finished
