// Delete the edges that start at a graph's datasets.
MATCH (d:Dataset)-[r:NEIGHBOR]->(:Dataset) WHERE d.graph = $graph
DELETE r
