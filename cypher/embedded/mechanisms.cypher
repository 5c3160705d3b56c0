// Alpha and the probabilities of mechanisms on the datasets in the embedded store, for a whole graph and for single
// datasets.

// name: clear_mechanism
// Mark a graph's mechanism as void, and the graph as changed.
MATCH (g:DatasetGraph) WHERE g.name = $graph
SET g.mechanism = NULL, g.fingerprint = NULL, g.written = NULL, g.min_p_true = NULL, g.mean_p_true = NULL,
    g.mechanism_method = NULL, g.mechanism_privacy = NULL, g.mechanism_mu = NULL, g.stale = false,
    g.revision = $revision;

// name: clear_alpha
// Remove a graph's alpha.
MATCH (d:Dataset) WHERE d.graph = $graph AND (d.alpha IS NOT NULL OR d.alphas IS NOT NULL)
SET d.alpha = NULL, d.alphas = NULL;

// name: write_alpha
// Write alpha from columns.
LOAD FROM $rows
MATCH (d:Dataset {id: dataset})
SET d.alpha = alpha, d.alphas = alphas
RETURN count(*) AS written;

// name: write_probabilities
// Write probabilities of two colours from columns.
LOAD FROM $rows
MATCH (d:Dataset {id: dataset})
SET d.p = p, d.q = q, d.p_true = p_true, d.distance = distance
RETURN count(*) AS written;

// name: write_distributions
// Write probabilities of more than two colours from columns.
LOAD FROM $rows
MATCH (d:Dataset {id: dataset})
SET d.probabilities = probabilities, d.p_true = p_true, d.distance = distance
RETURN count(*) AS written;

// name: write_mus
// Write the mu of a Gaussian mechanism to its edges from columns. An edge is found in the direction in which it is stored
// only, so that the columns hold every edge in both.
LOAD FROM $rows
MATCH (a:Dataset {id: source})
MATCH (b:Dataset {id: target})
MATCH (a)-[r:NEIGHBOR]->(b)
SET r.mu = mu
RETURN count(DISTINCT edge) AS written;

// name: finish_mechanism
// Declare a mechanism whole. Its method is how it was found, its privacy what it keeps on every edge, and mu that of all
// edges, or null where each has its own.
MATCH (g:DatasetGraph) WHERE g.name = $graph
SET g.mechanism = $version, g.fingerprint = $fingerprint, g.written = $written,
    g.min_p_true = $min_p_true, g.mean_p_true = $mean_p_true, g.datasets = $datasets, g.edges = $edges,
    g.mechanism_method = $method, g.mechanism_privacy = $privacy, g.mechanism_mu = $mu, g.stale = false;

// name: read_probabilities
// The stored probabilities of a graph's datasets.
MATCH (d:Dataset) WHERE d.graph = $graph
RETURN d.id AS id, d.p AS p, d.q AS q, d.probabilities AS probabilities;

// name: read_mus
// The mu of a graph's edges.
MATCH (a:Dataset)-[r:NEIGHBOR]->(b:Dataset) WHERE a.graph = $graph AND b.graph = $graph
RETURN a.key AS source, b.key AS target, r.mu AS mu;

// name: find_evaluated
// Some datasets by their ids, with what was written for them.
UNWIND $ids AS wanted
MATCH (d:Dataset {id: wanted})
RETURN d.id AS id, d.key AS key, d.color AS color, d.alpha AS alpha, d.alphas AS alphas, d.p AS p, d.q AS q,
       d.probabilities AS probabilities;

// name: read_alphas
// The alpha of all datasets that have one.
MATCH (d:Dataset) WHERE d.graph = $graph AND (d.alpha IS NOT NULL OR d.alphas IS NOT NULL)
RETURN d.key AS key, d.alpha AS alpha, d.alphas AS alphas;

// name: write_evaluations
// Write the probabilities at some datasets from columns.
LOAD FROM $rows
MATCH (d:Dataset {id: dataset})
SET d.p = p, d.q = q, d.probabilities = probabilities, d.p_true = p_true
RETURN count(*) AS written;
