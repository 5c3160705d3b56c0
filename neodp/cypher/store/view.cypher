// A graph seen from some of its datasets: what is known about it, these datasets, and the least and the greatest alpha
// of all its datasets, among numbers and among lists (whose order goes by the first entry, then by the second).
MATCH (g:DatasetGraph {name: $graph})
CALL () {
  UNWIND $keys AS key
  MATCH (d:Dataset {graph: $graph, key: key})
  WITH collect(d) AS ds
  RETURN [d IN ds | d.key] AS keys, [d IN ds | d.color] AS found, [d IN ds | d.alpha] AS alphas,
         [d IN ds | d.p] AS ps, [d IN ds | d.q] AS qs, [d IN ds | d.probabilities] AS distributions
}
CALL () {
  MATCH (d:Dataset) WHERE d.graph = $graph AND 0.0 <= d.alpha <= 1.0
  WITH d ORDER BY d.graph, d.alpha LIMIT 1
  RETURN collect(d.alpha) AS least_number
}
CALL () {
  MATCH (d:Dataset) WHERE d.graph = $graph AND 0.0 <= d.alpha <= 1.0
  WITH d ORDER BY d.graph DESC, d.alpha DESC LIMIT 1
  RETURN collect(d.alpha) AS greatest_number
}
CALL () {
  MATCH (d:Dataset) WHERE d.graph = $graph AND d.alpha >= [0.0] AND d.alpha <= [1.0, 1.0]
  WITH d ORDER BY d.graph, d.alpha LIMIT 1
  RETURN collect(d.alpha) AS least_list
}
CALL () {
  MATCH (d:Dataset) WHERE d.graph = $graph AND d.alpha >= [0.0] AND d.alpha <= [1.0, 1.0]
  WITH d ORDER BY d.graph DESC, d.alpha DESC LIMIT 1
  WITH d.alpha[0] AS first
  MATCH (d:Dataset) WHERE d.graph = $graph AND d.alpha >= [first] AND d.alpha <= [1.0, 1.0]
  WITH d ORDER BY d.graph, d.alpha LIMIT 1
  RETURN collect(d.alpha) AS greatest_list
}
RETURN g.name AS name, g.colors AS colors, coalesce(g.state, 'ready') AS state, toString(g.created) AS created,
       coalesce(g.datasets, COUNT { MATCH (:Dataset {graph: g.name}) }) AS datasets,
       coalesce(g.edges, COUNT { MATCH (:Dataset {graph: g.name})-[:NEIGHBOR]->() }) AS edges,
       g.mechanism AS version, g.fingerprint AS fingerprint, toString(g.written) AS written,
       g.min_p_true AS min_p_true, g.mean_p_true AS mean_p_true, g.revision AS revision,
       keys, found, alphas, ps, qs, distributions, least_number, greatest_number, least_list, greatest_list
