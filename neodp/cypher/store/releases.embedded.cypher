// What was answered about a graph, by time.
MATCH (r:Release) WHERE r.graph = $graph
RETURN r.graph AS graph, r.name AS name, r.answer AS answer, r.time AS time, r.key AS key
ORDER BY time, name
