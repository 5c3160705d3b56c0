// A graph's datasets.
MATCH (d:Dataset) WHERE d.graph = $graph
RETURN offset(id(d)) AS position, d.id AS id, d.key AS key, d.color AS color, d.alpha AS alpha, d.alphas AS alphas,
       d.preference AS preference
