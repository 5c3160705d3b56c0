// Create datasets from columns, if the writer still owns the graph.
MATCH (g:DatasetGraph {name: $graph})
SET g.touched = datetime()
WITH g WHERE g.writer = $writer
UNWIND range(0, size($keys) - 1) AS i
CREATE (d:Dataset {graph: $graph, key: $keys[i], color: $colors[i], alpha: $alphas[i], preference: $preferences[i]})
RETURN collect(elementId(d)) AS ids, collect(d.key) AS keys
