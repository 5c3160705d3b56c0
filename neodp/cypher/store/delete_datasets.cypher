// Delete some of a graph's datasets with their edges, if the writer still owns the graph.
MATCH (g:DatasetGraph {name: $graph})
SET g.touched = datetime()
WITH g WHERE g.writer = $writer
MATCH (d:Dataset {graph: $graph})
WITH d LIMIT $batch
DETACH DELETE d
RETURN count(d) AS deleted
