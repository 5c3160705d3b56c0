// The constraints and indexes in Neo4j. Statements called show_… list what there is, set_… keep what holds for the store
// as a whole; each of the others makes the constraint or index whose name it has.

// name: show_schema
// Which constraints and indexes there are, by name.
SHOW INDEXES YIELD name RETURN collect(name) AS names;

// name: show_alike
// The nodes of a label that have the same values of one or two properties, the largest group first.
MATCH (n:$($label)) WHERE n[$first] IS NOT NULL AND n[$last] IS NOT NULL
WITH [n[$first], n[$last]] AS values, count(*) AS count, collect(elementId(n)) AS nodes WHERE count > 1
RETURN values, count, nodes[..5] AS nodes ORDER BY count DESC, values LIMIT 100;

// name: show_version
// The version of the schema, by the neodp that made it; null where there is none.
OPTIONAL MATCH (s:NeodpSchema {name: 'neodp'}) RETURN max(s.version) AS version;

// name: set_version
// Keep the version of the schema.
MERGE (s:NeodpSchema {name: 'neodp'}) SET s.version = $version;

// name: show_role
// The role of whoever runs commands on the store and states none; null where none was kept.
OPTIONAL MATCH (s:NeodpSchema {name: 'neodp'}) RETURN max(s.role) AS role;

// name: set_role
// Keep that role.
MERGE (s:NeodpSchema {name: 'neodp'}) SET s.role = $role;

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
CREATE CONSTRAINT neodp_release_name IF NOT EXISTS FOR (r:NeodpRelease) REQUIRE (r.graph, r.name) IS UNIQUE;

// name: neodp_release_population
// All releases about a population.
CREATE INDEX neodp_release_population IF NOT EXISTS FOR (r:NeodpRelease) ON (r.population);

// name: neodp_ledger_population
// One ledger per population.
CREATE CONSTRAINT neodp_ledger_population IF NOT EXISTS FOR (l:NeodpLedger) REQUIRE l.population IS UNIQUE;

// name: neodp_protection_population
// One protection per population.
CREATE CONSTRAINT neodp_protection_population IF NOT EXISTS FOR (p:NeodpProtection) REQUIRE p.population IS UNIQUE;

// name: neodp_profiles_name
// One set of profiles per name.
CREATE CONSTRAINT neodp_profiles_name IF NOT EXISTS FOR (p:NeodpProfiles) REQUIRE p.name IS UNIQUE;

// name: neodp_user_id
// One user per id and profile; its index also finds and orders a profile's users.
CREATE CONSTRAINT neodp_user_id IF NOT EXISTS FOR (u:User) REQUIRE (u.profile, u.id) IS UNIQUE;

// name: neodp_item_id
// One item per id and profile; its index also finds and orders a profile's items.
CREATE CONSTRAINT neodp_item_id IF NOT EXISTS FOR (i:Item) REQUIRE (i.profile, i.id) IS UNIQUE;
