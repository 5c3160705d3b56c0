// A graph's next datasets in the order of their keys: their element ids only.
MATCH (d:Dataset) WHERE d.graph = $graph AND d.key >= $from AND d.key <> $done
WITH d ORDER BY d.graph, d.key LIMIT $batch
RETURN collect(elementId(d)) AS ids, collect(d.key) AS keys
