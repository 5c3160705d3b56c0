// The boundary edges with alpha at neither end: alpha at one end of each is needed, or, with more than two colours, at
// one boundary dataset of every order.
// $limit = 100
MATCH (g:DatasetGraph {name: $graph})
MATCH (a:Dataset {graph: $graph})-[r:NEIGHBOR]->(b:Dataset {graph: $graph})
WHERE (a.color <> b.color OR coalesce(a.preference, []) <> coalesce(b.preference, []))
  AND a.alpha IS NULL AND b.alpha IS NULL
RETURN a.key AS source, a.color AS source_color, b.key AS target, b.color AS target_color
ORDER BY source, target LIMIT $limit
