// Delete a graph's own node.
MATCH (g:DatasetGraph) WHERE g.name = $graph
DELETE g
