// Declare a mechanism whole.
MATCH (g:DatasetGraph) WHERE g.name = $graph
SET g.mechanism = $version, g.fingerprint = $fingerprint, g.written = $written,
    g.min_p_true = $min_p_true, g.mean_p_true = $mean_p_true, g.datasets = $datasets, g.edges = $edges
