// The edges that join datasets of different colours or preferences, with their alpha where it is given.
// $limit = 100
MATCH (g:DatasetGraph {name: $graph})
MATCH (a:Dataset {graph: $graph})-[r:NEIGHBOR]->(b:Dataset {graph: $graph})
WHERE a.color <> b.color OR coalesce(a.preference, []) <> coalesce(b.preference, [])
RETURN a.key AS source, a.color AS source_color, a.alpha AS source_alpha, a.alphas AS source_alphas,
       b.key AS target, b.color AS target_color, b.alpha AS target_alpha, b.alphas AS target_alphas,
       r.epsilon AS epsilon, coalesce(r.delta, 0.0) AS delta
ORDER BY source, target LIMIT $limit
