// Alpha and the probabilities of mechanisms on the datasets in Neo4j, for a whole graph and for single datasets.

// name: clear_alpha
// Remove a graph's alpha; its mechanism is void, and whoever is writing one has lost the graph.
MATCH (g:DatasetGraph {name: $graph}) WHERE coalesce(g.state, 'ready') = 'ready'
SET g.revision = randomUUID()
REMOVE g.writer, g.mechanism, g.fingerprint, g.written, g.min_p_true, g.mean_p_true, g.mechanism_method,
       g.mechanism_privacy, g.mechanism_mu, g.mechanism_expected, g.mechanism_bound, g.mechanism_prior, g.stale
WITH g
OPTIONAL MATCH (d:Dataset {graph: $graph}) WHERE d.alpha IS NOT NULL
REMOVE d.alpha
RETURN count(DISTINCT g) AS claimed;

// name: write_alpha
// Write alpha from columns.
CYPHER 5
UNWIND range(0, size($numbers) - 1) AS i
MATCH (d) WHERE id(d) = $numbers[i] AND d.graph = $graph
SET d.alpha = $alphas[i]
RETURN count(d) AS written;

// name: claim_mechanism
// Mark a graph's mechanism as void while one writer replaces it.
MATCH (g:DatasetGraph {name: $graph}) WHERE coalesce(g.state, 'ready') = 'ready'
SET g.writer = $writer
REMOVE g.mechanism, g.fingerprint, g.written, g.min_p_true, g.mean_p_true, g.mechanism_method, g.mechanism_privacy,
       g.mechanism_mu, g.mechanism_expected, g.mechanism_bound, g.mechanism_prior, g.stale
RETURN count(g) AS claimed;

// name: write_probabilities
// Write the probabilities of two colours from columns, if the writer still owns the graph.
CYPHER 5
MATCH (g:DatasetGraph {name: $graph})
SET g.touched = datetime()
WITH g WHERE g.writer = $writer
UNWIND range(0, size($numbers) - 1) AS i
MATCH (d) WHERE id(d) = $numbers[i] AND d.graph = $graph
SET d.p = $ps[i], d.q = $qs[i], d.p_true = $p_trues[i], d.distance = $distances[i]
RETURN count(d) AS written;

// name: write_distributions
// Write the probabilities of more than two colours from columns, if the writer still owns the graph.
CYPHER 5
MATCH (g:DatasetGraph {name: $graph})
SET g.touched = datetime()
WITH g WHERE g.writer = $writer
UNWIND range(0, size($numbers) - 1) AS i
MATCH (d) WHERE id(d) = $numbers[i] AND d.graph = $graph
SET d.probabilities = $distributions[i], d.p_true = $p_trues[i], d.distance = $distances[i]
RETURN count(d) AS written;

// name: write_mus
// Write the mu of a Gaussian mechanism to its edges from columns, if the writer still owns the graph.
CYPHER 5
MATCH (g:DatasetGraph {name: $graph})
SET g.touched = datetime()
WITH g WHERE g.writer = $writer
UNWIND range(0, size($mus) - 1) AS i
MATCH (a) WHERE id(a) = $sources[i]
MATCH (a)-[r:NEIGHBOR]-(b) WHERE id(b) = $targets[i]
SET r.mu = $mus[i]
RETURN count(DISTINCT i) AS written;

// name: write_optimality
// Note how close a mechanism is to the best one: its expected accuracy under a prior, and what none exceeds.
MATCH (g:DatasetGraph {name: $graph})
SET g.touched = datetime()
WITH g WHERE g.writer = $writer
SET g.mechanism_expected = $expected, g.mechanism_bound = $bound, g.mechanism_prior = $prior
RETURN count(g) AS written;

// name: finish_mechanism
// Declare a mechanism whole, if the writer still owns the graph and no dataset has come or gone. Its method is how it was
// found, its privacy what it keeps on every edge, and mu that of all edges, or null where each has its own.
MATCH (g:DatasetGraph {name: $graph})
SET g.touched = datetime()
WITH g WHERE g.writer = $writer AND COUNT { MATCH (:Dataset {graph: $graph}) } = $datasets
SET g.mechanism = $writer, g.fingerprint = $fingerprint, g.written = datetime(),
    g.min_p_true = $min_p_true, g.mean_p_true = $mean_p_true, g.datasets = $datasets, g.edges = $edges,
    g.mechanism_method = $method, g.mechanism_privacy = $privacy, g.mechanism_mu = $mu
REMOVE g.writer
RETURN count(g) AS finished;

// name: read_probabilities
// The stored probabilities of some datasets, as columns.
CYPHER 5
UNWIND $numbers AS number
MATCH (d) WHERE id(d) = number
WITH collect(d) AS ds
RETURN [d IN ds | d.key] AS keys, [d IN ds | d.p] AS ps, [d IN ds | d.q] AS qs,
       [d IN ds | d.probabilities] AS distributions;

// name: read_mus
// The mu of the edges that start at a graph's next datasets in the order of their keys, as columns.
MATCH (d:Dataset) WHERE d.graph = $graph AND d.key >= $from
WITH d ORDER BY d.graph, d.key LIMIT $batch
WITH collect(d) AS ds
CALL (ds) {
  UNWIND ds AS a
  MATCH (a)-[r:NEIGHBOR]->(b:Dataset) WHERE b.graph = $graph
  RETURN collect(a.key) AS sources, collect(b.key) AS targets, collect(coalesce(r.mu, 0.0 / 0.0)) AS mus
}
RETURN [d IN ds | d.key] AS keys, sources, targets, mus;

// name: view
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
RETURN g.name AS name, g.colors AS colors, coalesce(g.state, 'ready') AS state, toStringOrNull(g.created) AS created,
       coalesce(g.datasets, COUNT { MATCH (:Dataset {graph: g.name}) }) AS datasets,
       coalesce(g.edges, COUNT { MATCH (:Dataset {graph: g.name})-[:NEIGHBOR]->() }) AS edges,
       g.mechanism AS version, g.fingerprint AS fingerprint, toStringOrNull(g.written) AS written,
       g.min_p_true AS min_p_true, g.mean_p_true AS mean_p_true, g.mechanism_method AS method,
       coalesce(g.mechanism_privacy, 'epsilon-delta') AS privacy, g.mechanism_mu AS mu,
       g.mechanism_expected AS expected, g.mechanism_bound AS bound, g.mechanism_prior AS prior, g.revision AS revision,
       coalesce(g.population, 'default') AS population, coalesce(g.stale, false) AS stale,
       g.certified AS certified,
       keys, found, alphas, ps, qs, distributions, least_number, greatest_number, least_list, greatest_list;

// name: write_evaluations
// Write the probabilities at some datasets, if the graph is still what it was; null is not stored.
MATCH (g:DatasetGraph {name: $graph})
SET g.touched = datetime()
WITH g WHERE coalesce(g.state, 'ready') = 'ready' AND coalesce(g.revision, '') = coalesce($revision, '')
UNWIND range(0, size($keys) - 1) AS i
MATCH (d:Dataset {graph: $graph, key: $keys[i]})
SET d.p = $ps[i], d.q = $qs[i], d.probabilities = $distributions[i], d.p_true = $p_trues[i]
RETURN count(d) AS written;
