// Dataset graphs in the embedded store: load, drop, list, read. $rows is a table of columns.

// name: graphs
// All graphs, with what is known about them.
MATCH (g:DatasetGraph)
RETURN g.name AS name, g.colors AS colors, coalesce(g.state, 'ready') AS state, g.created AS created,
       g.datasets AS datasets, g.edges AS edges,
       g.mechanism AS version, g.fingerprint AS fingerprint, g.written AS written,
       g.min_p_true AS min_p_true, g.mean_p_true AS mean_p_true, g.mechanism_method AS method,
       coalesce(g.mechanism_privacy, 'epsilon-delta') AS privacy, g.mechanism_mu AS mu,
       g.revision AS revision, coalesce(g.population, 'default') AS population, coalesce(g.stale, false) AS stale,
       g.certified AS certified
ORDER BY name;

// name: create_graph
// Create a graph's own node.
CREATE (:DatasetGraph {
    name: $graph, colors: $colors, state: $state, created: $created, datasets: $datasets, edges: $edges,
    population: $population, revision: $revision});

// name: create_datasets
// Create datasets from columns.
LOAD FROM $rows
CREATE (:Dataset {id: dataset, graph: graph, key: key, color: color, alpha: alpha, alphas: alphas, preference: preference});

// name: create_neighbors
// Create edges from columns.
LOAD FROM $rows
MATCH (a:Dataset {id: source})
MATCH (b:Dataset {id: target})
CREATE (a)-[:NEIGHBOR {epsilon: epsilon, delta: delta}]->(b);

// name: copy_datasets
// Create datasets from columns, fast; but a kill can take the rows and leave what else the transaction did.
COPY Dataset(id, graph, key, color, alpha, alphas, preference) FROM $rows;

// name: copy_neighbors
// Create edges from columns, fast; but a kill can take the rows and leave what else the transaction did.
COPY NEIGHBOR(epsilon, delta) FROM $rows;

// name: finish_load
// Declare a graph whole.
MATCH (g:DatasetGraph) WHERE g.name = $graph
SET g.state = 'ready';

// name: delete_datasets
// Delete a graph's datasets with their edges.
MATCH (d:Dataset) WHERE d.graph = $graph
DETACH DELETE d
RETURN count(*) AS deleted;

// name: delete_graph
// Delete a graph's own node.
MATCH (g:DatasetGraph) WHERE g.name = $graph
DELETE g;

// name: count_datasets
// How many datasets a graph has.
MATCH (d:Dataset {graph: $graph}) RETURN count(d) AS datasets;

// name: count_edges
// How many edges a graph has.
MATCH (a:Dataset)-[r:NEIGHBOR]->(b:Dataset) WHERE a.graph = $graph AND b.graph = $graph
RETURN count(*) AS edges;

// name: count_all_edges
// How many edges there are in all graphs together, which the engine knows without looking.
MATCH (:Dataset)-[r:NEIGHBOR]->(:Dataset) RETURN count(*) AS edges;

// name: read_datasets
// A graph's datasets.
MATCH (d:Dataset) WHERE d.graph = $graph
RETURN offset(id(d)) AS position, d.id AS id, d.key AS key, d.color AS color, d.alpha AS alpha, d.alphas AS alphas,
       d.preference AS preference;

// name: read_neighbors
// The edges that start at a graph's datasets.
MATCH (a:Dataset)-[r:NEIGHBOR]->(b:Dataset) WHERE a.graph = $graph
RETURN offset(id(a)) AS source, offset(id(b)) AS target, r.epsilon AS epsilon, coalesce(r.delta, 0.0) AS delta;

// name: find_datasets
// Some datasets by their ids.
UNWIND $ids AS wanted
MATCH (d:Dataset {id: wanted})
RETURN offset(id(d)) AS position, d.id AS id, d.key AS key, d.color AS color, d.alpha AS alpha, d.alphas AS alphas,
       d.preference AS preference;

// name: find_neighbors
// The edges that start at some datasets. OPTIONAL keeps the order of work: first the datasets, then their edges.
UNWIND $ids AS wanted
MATCH (a:Dataset {id: wanted})
OPTIONAL MATCH (a)-[r:NEIGHBOR]->(b:Dataset)
RETURN offset(id(a)) AS source, offset(id(b)) AS target, r.epsilon AS epsilon, coalesce(r.delta, 0.0) AS delta;

// name: layer
// The datasets one edge away from some. OPTIONAL keeps the order of work: first the datasets, then their edges.
UNWIND $ids AS wanted
MATCH (d:Dataset {id: wanted})
OPTIONAL MATCH (d)-[:NEIGHBOR]-(n:Dataset {graph: $graph})
RETURN DISTINCT n.id AS id;

// name: neighbors
// The edges at some datasets in either direction; nulls for a dataset without edges, and no row for an unknown id.
// OPTIONAL also keeps the order of work: first the datasets, then their edges.
UNWIND $ids AS wanted
MATCH (d:Dataset {id: wanted})
OPTIONAL MATCH (d)-[r:NEIGHBOR]-(n:Dataset {graph: $graph})
RETURN d.id AS id, d.key AS key, n.key AS neighbor, n.color AS color, n.alpha AS alpha, n.alphas AS alphas,
       n.preference AS preference, r.epsilon AS epsilon, coalesce(r.delta, 0.0) AS delta;

// name: read_property
// A property of a graph's datasets, where they have it. Its name, {property}, cannot be a parameter here.
MATCH (d:Dataset) WHERE d.graph = $graph AND d.`{property}` IS NOT NULL
RETURN d.key AS key, d.`{property}` AS value;
