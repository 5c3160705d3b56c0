// Declare a graph whole, if the writer still owns it.
MATCH (g:DatasetGraph {name: $graph})
SET g.touched = datetime()
WITH g WHERE g.writer = $writer
SET g.state = 'ready', g.colors = $colors, g.datasets = $datasets, g.edges = $edges, g.created = datetime()
REMOVE g.writer
RETURN count(g) AS finished
