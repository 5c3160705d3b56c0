// Delete a graph's own node, if the writer still owns it.
MATCH (g:DatasetGraph {name: $graph})
SET g.touched = datetime()
WITH g WHERE g.writer = $writer
DELETE g
RETURN count(*) AS deleted
