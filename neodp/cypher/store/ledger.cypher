// What was answered about a graph, by time, and how often it may be.
OPTIONAL MATCH (l:Ledger {graph: $graph})
WITH coalesce(max(l.max_releases), 1) AS max_releases
OPTIONAL MATCH (r:Release) WHERE r.graph = $graph AND r.name IS NOT NULL
WITH max_releases, r ORDER BY r.time, r.name
RETURN max_releases,
       [r IN collect(r) | {graph: r.graph, name: r.name, answer: r.answer, time: toString(r.time), key: r.key}] AS releases
