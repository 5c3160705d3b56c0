// Create edges from columns, if the writer still owns the graph.
MATCH (g:DatasetGraph {name: $graph})
SET g.touched = datetime()
WITH g WHERE g.writer = $writer
UNWIND range(0, size($sources) - 1) AS i
MATCH (a) WHERE elementId(a) = $sources[i]
MATCH (b) WHERE elementId(b) = $targets[i]
CREATE (a)-[:NEIGHBOR {epsilon: $epsilons[i], delta: $deltas[i]}]->(b)
RETURN count(*) AS created
