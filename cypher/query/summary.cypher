// How many datasets each colour has, how many of them lie on the boundary, and how often they are answered truthfully.
MATCH (g:DatasetGraph {name: $graph}) WHERE g.mechanism IS NOT NULL
MATCH (d:Dataset {graph: $graph})
RETURN d.color AS color, count(d) AS datasets, sum(CASE WHEN d.distance = 0 THEN 1 ELSE 0 END) AS boundary,
       min(d.p_true) AS min_p_true, avg(d.p_true) AS mean_p_true, max(d.p_true) AS max_p_true
ORDER BY color
