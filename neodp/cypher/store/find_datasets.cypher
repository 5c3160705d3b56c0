// Some datasets by their keys, as columns.
UNWIND $keys AS key
MATCH (d:Dataset {graph: $graph, key: key})
WITH collect(d) AS ds
RETURN [d IN ds | elementId(d)] AS ids, [d IN ds | d.key] AS keys, [d IN ds | d.color] AS colors, [d IN ds | d.alpha] AS alphas
