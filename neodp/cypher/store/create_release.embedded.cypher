// Keep an answer.
CREATE (:Release {id: $id, graph: $graph, name: $release, answer: $answer, time: $time, key: $key})
