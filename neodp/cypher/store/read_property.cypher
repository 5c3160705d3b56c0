// A property of a graph's datasets, where they have it.
// $property
MATCH (d:Dataset) WHERE d.graph = $graph AND d[$property] IS NOT NULL
RETURN d.key AS key, d[$property] AS value
