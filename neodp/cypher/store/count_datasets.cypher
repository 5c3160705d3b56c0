// How many datasets a graph has.
MATCH (d:Dataset {graph: $graph}) RETURN count(d) AS datasets
