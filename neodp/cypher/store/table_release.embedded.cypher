// The table of releases. A primary key is one column here: id is 'length of graph:graph:name'.
CREATE NODE TABLE IF NOT EXISTS Release(
    id STRING PRIMARY KEY, graph STRING, name STRING, answer STRING, time STRING, key STRING)
