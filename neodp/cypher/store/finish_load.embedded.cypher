// Declare a graph whole.
MATCH (g:DatasetGraph) WHERE g.name = $graph
SET g.state = 'ready'
