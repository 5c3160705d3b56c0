// What was answered, and how often it may be, in the embedded store.

// name: max_releases
// How many releases a graph may have, if that was ever set.
MATCH (l:Ledger) WHERE l.graph = $graph
RETURN l.max_releases AS max_releases;

// name: releases
// What was answered about a graph, by time.
MATCH (r:Release) WHERE r.graph = $graph
RETURN r.graph AS graph, r.name AS name, r.answer AS answer, r.time AS time, r.key AS key
ORDER BY time, name;

// name: allow
// Set how many releases a graph may have.
MERGE (l:Ledger {graph: $graph})
SET l.max_releases = $releases;

// name: create_release
// Keep an answer.
CREATE (:Release {id: $id, graph: $graph, name: $release, answer: $answer, time: $time, key: $key});
