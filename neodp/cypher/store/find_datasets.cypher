// Some datasets by their keys, with the edges that start there, as columns.
CYPHER 5
UNWIND $keys AS key
MATCH (d:Dataset {graph: $graph, key: key})
WITH collect(d) AS ds
CALL (ds) {
  UNWIND ds AS a
  MATCH (a)-[r:NEIGHBOR]->(b:Dataset)
  RETURN collect(id(a)) AS sources, collect(id(b)) AS targets,
         collect(coalesce(r.epsilon, 0.0 / 0.0)) AS epsilons, collect(coalesce(r.delta, 0.0)) AS deltas
}
RETURN [d IN ds | id(d)] AS numbers, [d IN ds | elementId(d)] AS ids, [d IN ds | d.key] AS keys,
       [d IN ds | d.color] AS colors, [d IN ds | d.alpha] AS alphas, [d IN ds | d.preference] AS preferences,
       sources, targets, epsilons, deltas
