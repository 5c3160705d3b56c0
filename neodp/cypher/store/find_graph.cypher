// Lock a graph, made if need be, and say in what state it was.
MERGE (g:DatasetGraph {name: $graph})
  ON CREATE SET g.state = 'new', g.created = datetime()
SET g.touched = datetime()
RETURN coalesce(g.state, 'ready') AS state
