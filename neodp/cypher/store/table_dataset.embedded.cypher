// The table of datasets. A primary key is one column here: id is 'length of graph:graph:key'.
// With two colours, alpha is Pr[first colour], and alphas is both where that number cannot say them exactly; with more
// colours, alphas is all of them.
CREATE NODE TABLE IF NOT EXISTS Dataset(
    id STRING PRIMARY KEY, graph STRING, key STRING, color STRING, alpha DOUBLE, alphas DOUBLE[], preference STRING[],
    p DOUBLE, q DOUBLE, p_true DOUBLE, probabilities DOUBLE[], distance INT64)
