// The constraints and indexes in Neo4j. The first statement lists those there are; each of the others makes the one
// whose name it has.

// name: show_schema
// Which constraints and indexes there are, by name.
SHOW INDEXES YIELD name RETURN collect(name) AS names;

// name: neodp_graph_name
// One graph per name.
CREATE CONSTRAINT neodp_graph_name IF NOT EXISTS FOR (g:DatasetGraph) REQUIRE g.name IS UNIQUE;

// name: neodp_dataset_key
// One dataset per key and graph; its index also finds and orders a graph's datasets.
CREATE CONSTRAINT neodp_dataset_key IF NOT EXISTS FOR (d:Dataset) REQUIRE (d.graph, d.key) IS UNIQUE;

// name: neodp_dataset_graph
// All datasets of a graph.
CREATE INDEX neodp_dataset_graph IF NOT EXISTS FOR (d:Dataset) ON (d.graph);

// name: neodp_dataset_alpha
// The datasets with alpha, in its order: finds the least and the greatest.
CREATE INDEX neodp_dataset_alpha IF NOT EXISTS FOR (d:Dataset) ON (d.graph, d.alpha);

// name: neodp_release_name
// One release per name and graph: an answer is given once.
CREATE CONSTRAINT neodp_release_name IF NOT EXISTS FOR (r:Release) REQUIRE (r.graph, r.name) IS UNIQUE;

// name: neodp_release_population
// All releases about a population.
CREATE INDEX neodp_release_population IF NOT EXISTS FOR (r:Release) ON (r.population);

// name: neodp_ledger_population
// One ledger per population.
CREATE CONSTRAINT neodp_ledger_population IF NOT EXISTS FOR (l:Ledger) REQUIRE l.population IS UNIQUE;

// name: neodp_profiles_name
// One set of profiles per name.
CREATE CONSTRAINT neodp_profiles_name IF NOT EXISTS FOR (p:Profiles) REQUIRE p.name IS UNIQUE;

// name: neodp_user_id
// One user per id and profile; its index also finds and orders a profile's users.
CREATE CONSTRAINT neodp_user_id IF NOT EXISTS FOR (u:User) REQUIRE (u.profile, u.id) IS UNIQUE;

// name: neodp_item_id
// One item per id and profile; its index also finds and orders a profile's items.
CREATE CONSTRAINT neodp_item_id IF NOT EXISTS FOR (i:Item) REQUIRE (i.profile, i.id) IS UNIQUE;
