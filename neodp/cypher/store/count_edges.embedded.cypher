// How many edges a graph has.
MATCH (a:Dataset)-[r:NEIGHBOR]->(b:Dataset) WHERE a.graph = $graph AND b.graph = $graph
RETURN count(*) AS edges
