// Delete a graph's datasets with their edges.
MATCH (d:Dataset) WHERE d.graph = $graph
DETACH DELETE d
RETURN count(*) AS deleted
