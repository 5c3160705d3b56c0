// One dataset per key and graph; its index also finds and orders a graph's datasets.
CREATE CONSTRAINT neodp_dataset_key IF NOT EXISTS FOR (d:Dataset) REQUIRE (d.graph, d.key) IS UNIQUE
