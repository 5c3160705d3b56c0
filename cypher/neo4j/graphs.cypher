// Dataset graphs in Neo4j: load, drop, list, read. A writer owns a graph by its token, $writer, on the graph's own node.
// Within a read or a load, and from a read to the write that follows it, datasets go by the server's numbers of nodes, id(),
// which are a fifth as long as element ids and found faster. CYPHER 5 has them, on every server. A number may be given to
// another node once its own is deleted: so a statement that writes by number looks whose dataset it is.

// name: graphs
// All graphs, with what is known about them.
MATCH (g:DatasetGraph)
RETURN g.name AS name, g.colors AS colors, coalesce(g.state, 'ready') AS state, toStringOrNull(g.created) AS created,
       coalesce(g.datasets, COUNT { MATCH (:Dataset {graph: g.name}) }) AS datasets,
       coalesce(g.edges, COUNT { MATCH (:Dataset {graph: g.name})-[:NEIGHBOR]->() }) AS edges,
       g.mechanism AS version, g.fingerprint AS fingerprint, toStringOrNull(g.written) AS written,
       g.min_p_true AS min_p_true, g.mean_p_true AS mean_p_true, g.mechanism_method AS method,
       coalesce(g.mechanism_privacy, 'epsilon-delta') AS privacy, g.mechanism_mu AS mu,
       g.mechanism_expected AS expected, g.mechanism_bound AS bound, g.mechanism_prior AS prior, g.revision AS revision,
       coalesce(g.population, 'default') AS population, coalesce(g.stale, false) AS stale,
       g.certified AS certified
ORDER BY name;

// name: find_graph
// Lock a graph, made if need be, and say in what state it was.
MERGE (g:DatasetGraph {name: $graph})
  ON CREATE SET g.state = 'new', g.created = datetime()
SET g.touched = datetime()
RETURN coalesce(g.state, 'ready') AS state;

// name: claim_graph
// Mark a graph as being loaded or dropped by one writer, and its mechanism as void.
MATCH (g:DatasetGraph {name: $graph})
SET g.state = $state, g.writer = $writer, g.revision = $writer
REMOVE g.mechanism, g.fingerprint, g.written, g.min_p_true, g.mean_p_true, g.mechanism_method, g.mechanism_privacy,
       g.mechanism_mu, g.mechanism_expected, g.mechanism_bound, g.mechanism_prior, g.stale, g.datasets, g.edges, g.certified
RETURN count(g) AS claimed;

// name: create_datasets
// Create datasets from columns, if the writer still owns the graph; their numbers, and which row each is.
CYPHER 5
MATCH (g:DatasetGraph {name: $graph})
SET g.touched = datetime()
WITH g WHERE g.writer = $writer
UNWIND range(0, size($keys) - 1) AS i
CREATE (d:Dataset {graph: $graph, key: $keys[i], color: $colors[i], alpha: $alphas[i], preference: $preferences[i]})
RETURN collect(id(d)) AS numbers, collect(i) AS rows;

// name: create_neighbors
// Create edges from columns, if the writer still owns the graph.
CYPHER 5
MATCH (g:DatasetGraph {name: $graph})
SET g.touched = datetime()
WITH g WHERE g.writer = $writer
UNWIND range(0, size($sources) - 1) AS i
MATCH (a) WHERE id(a) = $sources[i]
MATCH (b) WHERE id(b) = $targets[i]
CREATE (a)-[:NEIGHBOR {epsilon: $epsilons[i], delta: $deltas[i]}]->(b)
RETURN count(*) AS created;

// name: finish_load
// Declare a graph whole, if the writer still owns it. It keeps its population unless it is given one.
MATCH (g:DatasetGraph {name: $graph})
SET g.touched = datetime()
WITH g WHERE g.writer = $writer
SET g.state = 'ready', g.colors = $colors, g.datasets = $datasets, g.edges = $edges, g.created = datetime(),
    g.population = coalesce($population, g.population, 'default')
REMOVE g.writer
RETURN count(g) AS finished;

// name: stage_graph
// Make a graph beside another one, to take its place once it is whole.
CREATE (g:DatasetGraph {name: $staged, state: 'loading', writer: $writer, instead_of: $graph, created: datetime()})
RETURN count(g) AS staged;

// name: find_staged
// Graphs that were to take the place of another one, or had to make way, and are still there.
MATCH (g:DatasetGraph) WHERE g.instead_of = $graph
RETURN collect(g.name) AS names;

// name: lock_switch
// Lock a graph and the one that is to take its place; how many, if the writer still owns that and the graph is whole.
MATCH (old:DatasetGraph {name: $graph}), (new:DatasetGraph {name: $staged})
SET old.touched = datetime(), new.touched = datetime()
WITH old, new WHERE coalesce(old.state, 'ready') = 'ready' AND new.writer = $writer
RETURN count(new) AS locked;

// name: move_datasets
// Have all datasets of one name be those of another.
MATCH (d:Dataset) WHERE d.graph = $graph AND d.key IS NOT NULL
SET d.graph = $to
RETURN count(d) AS moved;

// name: switch_graphs
// What is known about the new graph instead of the old one; what was the new graph's own node stands for the old one.
MATCH (old:DatasetGraph {name: $graph}), (new:DatasetGraph {name: $staged})
SET old.colors = $colors, old.datasets = $datasets, old.edges = $edges, old.created = datetime(),
    old.population = coalesce($population, old.population, 'default'), old.revision = $writer,
    new.name = $removed, new.state = 'dropping'
REMOVE old.writer, old.mechanism, old.fingerprint, old.written, old.min_p_true, old.mean_p_true, old.mechanism_method,
       old.mechanism_privacy, old.mechanism_mu, old.mechanism_expected, old.mechanism_bound, old.mechanism_prior,
       old.stale, old.certified
RETURN count(*) AS switched;

// name: delete_datasets
// Delete some of a graph's datasets with their edges, if the writer still owns the graph.
MATCH (g:DatasetGraph {name: $graph})
SET g.touched = datetime()
WITH g WHERE g.writer = $writer
MATCH (d:Dataset {graph: $graph})
WITH d LIMIT $batch
DETACH DELETE d
RETURN count(d) AS deleted;

// name: delete_graph
// Delete a graph's own node, if the writer still owns it.
MATCH (g:DatasetGraph {name: $graph})
SET g.touched = datetime()
WITH g WHERE g.writer = $writer
DELETE g
RETURN count(*) AS deleted;

// name: count_datasets
// How many datasets a graph has.
MATCH (d:Dataset {graph: $graph}) RETURN count(d) AS datasets;

// name: next_key
// Which of a graph's keys comes $batch places after the first one from $from on, if any does.
MATCH (d:Dataset) WHERE d.graph = $graph AND d.key >= $from
WITH d ORDER BY d.graph, d.key SKIP $batch LIMIT 1
RETURN d.key AS next;

// name: read_datasets
// A graph's next datasets in the order of their keys, with the edges that start there, as columns.
CYPHER 5
MATCH (d:Dataset) WHERE d.graph = $graph AND d.key >= $from
WITH d ORDER BY d.graph, d.key LIMIT $batch
WITH collect(d) AS ds
CALL (ds) {
  UNWIND ds AS a
  MATCH (a)-[r:NEIGHBOR]->(b:Dataset)
  RETURN collect(id(a)) AS sources, collect(id(b)) AS targets,
         collect(coalesce(r.epsilon, 0.0 / 0.0)) AS epsilons, collect(coalesce(r.delta, 0.0)) AS deltas
}
RETURN [d IN ds | id(d)] AS numbers, [d IN ds | d.key] AS keys,
       [d IN ds | d.color] AS colors, [d IN ds | d.alpha] AS alphas, [d IN ds | d.preference] AS preferences,
       sources, targets, epsilons, deltas;

// name: find_datasets
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
RETURN [d IN ds | id(d)] AS numbers, [d IN ds | d.key] AS keys,
       [d IN ds | d.color] AS colors, [d IN ds | d.alpha] AS alphas, [d IN ds | d.preference] AS preferences,
       sources, targets, epsilons, deltas;

// name: neighbors
// The edges at some datasets in either direction, as columns; and which of the keys there are.
UNWIND $keys AS key
OPTIONAL MATCH (d:Dataset {graph: $graph, key: key})
OPTIONAL MATCH (d)-[r:NEIGHBOR]-(n:Dataset {graph: $graph})
WITH collect(DISTINCT d.key) AS known, collect(CASE WHEN r IS NOT NULL THEN {k: key, n: n, r: r} END) AS found
RETURN known, [f IN found | f.k] AS keys, [f IN found | f.n.key] AS neighbors, [f IN found | f.n.color] AS colors,
       [f IN found | f.n.alpha] AS alphas, [f IN found | f.n.preference] AS preferences,
       [f IN found | f.r.epsilon] AS epsilons, [f IN found | coalesce(f.r.delta, 0.0)] AS deltas;

// name: read_numbers
// A graph's next datasets in the order of their keys: their numbers only.
CYPHER 5
MATCH (d:Dataset) WHERE d.graph = $graph AND d.key >= $from
WITH d ORDER BY d.graph, d.key LIMIT $batch
RETURN collect(id(d)) AS numbers, collect(d.key) AS keys;

// name: read_property
// A property, $property, of a graph's datasets, where they have it.
MATCH (d:Dataset) WHERE d.graph = $graph AND d[$property] IS NOT NULL
RETURN d.key AS key, d[$property] AS value;
