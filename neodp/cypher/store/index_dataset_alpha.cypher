// The datasets with alpha, in its order: finds the least and the greatest.
CREATE INDEX neodp_dataset_alpha IF NOT EXISTS FOR (d:Dataset) ON (d.graph, d.alpha)
