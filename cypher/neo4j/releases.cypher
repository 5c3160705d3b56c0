// What was answered, and how often it may be, in Neo4j.

// name: ledger
// What was answered about a graph, by time, and how often it may be.
OPTIONAL MATCH (l:Ledger {graph: $graph})
WITH coalesce(max(l.max_releases), 1) AS max_releases
OPTIONAL MATCH (r:Release) WHERE r.graph = $graph AND r.name IS NOT NULL
WITH max_releases, r ORDER BY r.time, r.name
RETURN max_releases,
       [r IN collect(r) | {graph: r.graph, name: r.name, answer: r.answer, time: toString(r.time), key: r.key}] AS releases;

// name: lock_ledger
// Lock a graph's ledger, made if need be: releases of one graph are kept one after another.
MERGE (l:Ledger {graph: $graph}) ON CREATE SET l.max_releases = 1
SET l.touched = datetime();

// name: allow
// Set how many releases a graph may have.
MERGE (l:Ledger {graph: $graph})
SET l.max_releases = $releases, l.touched = datetime();

// name: create_release
// Keep an answer. A property that is null is not stored.
CREATE (r:Release {graph: $graph, name: $release, answer: $answer, time: datetime(), key: $key})
RETURN toString(r.time) AS time;
