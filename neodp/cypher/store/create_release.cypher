// Keep an answer. A property that is null is not stored.
CREATE (r:Release {graph: $graph, name: $name, answer: $answer, time: datetime(), key: $key})
RETURN toString(r.time) AS time
