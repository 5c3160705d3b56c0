// The stored probabilities of a graph's datasets.
MATCH (d:Dataset) WHERE d.graph = $graph
RETURN d.id AS id, d.p AS p, d.q AS q, d.probabilities AS probabilities
