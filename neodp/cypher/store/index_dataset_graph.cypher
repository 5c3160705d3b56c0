// All datasets of a graph.
CREATE INDEX neodp_dataset_graph IF NOT EXISTS FOR (d:Dataset) ON (d.graph)
