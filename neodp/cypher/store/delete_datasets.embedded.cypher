// Delete a graph's datasets with what is left of their edges.
MATCH (d:Dataset) WHERE d.graph = $graph
DETACH DELETE d
RETURN count(*) AS deleted
