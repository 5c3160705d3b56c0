// A graph's next datasets in the order of their keys, as columns.
MATCH (d:Dataset) WHERE d.graph = $graph AND d.key >= $from
WITH d ORDER BY d.key LIMIT $batch
WITH collect(d) AS ds
RETURN [d IN ds | elementId(d)] AS ids, [d IN ds | d.key] AS keys, [d IN ds | d.color] AS colors, [d IN ds | d.alpha] AS alphas
