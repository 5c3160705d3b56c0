// The table of graphs.
CREATE NODE TABLE IF NOT EXISTS DatasetGraph(
    name STRING PRIMARY KEY, colors STRING[], state STRING, created STRING, datasets INT64, edges INT64,
    mechanism STRING, fingerprint STRING, written STRING, min_p_true DOUBLE, mean_p_true DOUBLE)
