// The tables of the embedded store. Statements called show_… list what there is, those called set_… keep the version and
// bring older files up to it; each of the others makes the table whose name it has, or adds the column TABLE.COLUMN to
// the table of a file that an older neodp made.

// name: show_schema
// Which tables there are, by name.
CALL show_tables() RETURN name;

// name: show_columns
// Which columns a table has, by name. The table's name, {table}, cannot be a parameter here.
CALL table_info('{table}') RETURN name;

// name: show_version
// The version of the schema, by the neodp that made or brought it up last.
MATCH (s:NeodpSchema) RETURN max(s.version) AS version;

// name: set_version
// Keep the version of the schema.
MERGE (s:NeodpSchema {name: 'neodp'}) SET s.version = $version;

// name: set_ledgers
// Forget what a graph called 'default' was allowed, now that this is the name of everybody.
MATCH (l:Ledger) WHERE l.population = 'default' DELETE l;

// name: NeodpSchema
// The table of the schema's version.
CREATE NODE TABLE IF NOT EXISTS NeodpSchema(name STRING PRIMARY KEY, version INT64);

// name: DatasetGraph
// The table of graphs.
CREATE NODE TABLE IF NOT EXISTS DatasetGraph(
    name STRING PRIMARY KEY, colors STRING[], state STRING, created STRING, datasets INT64, edges INT64,
    mechanism STRING, fingerprint STRING, written STRING, min_p_true DOUBLE, mean_p_true DOUBLE,
    mechanism_method STRING, mechanism_privacy STRING, mechanism_mu DOUBLE, population STRING, revision STRING,
    certified STRING, stale BOOL);

// name: Dataset
// The table of datasets. A primary key is one column here: id is 'length of graph:graph:key'.
// With two colours, alpha is Pr[first colour], and alphas is both where that number cannot say them exactly; with more
// colours, alphas is all of them.
CREATE NODE TABLE IF NOT EXISTS Dataset(
    id STRING PRIMARY KEY, graph STRING, key STRING, color STRING, alpha DOUBLE, alphas DOUBLE[], preference STRING[],
    p DOUBLE, q DOUBLE, p_true DOUBLE, probabilities DOUBLE[], distance INT64);

// name: NEIGHBOR
// The table of edges.
CREATE REL TABLE IF NOT EXISTS NEIGHBOR(FROM Dataset TO Dataset, epsilon DOUBLE, delta DOUBLE, mu DOUBLE);

// name: Ledger
// The table of ledgers.
CREATE NODE TABLE IF NOT EXISTS Ledger(
    population STRING PRIMARY KEY, max_releases INT64, epsilon DOUBLE, delta DOUBLE, account STRING);

// name: Release
// The table of releases. A primary key is one column here: id is 'length of graph:graph:name'.
CREATE NODE TABLE IF NOT EXISTS Release(
    id STRING PRIMARY KEY, graph STRING, name STRING, answer STRING, time STRING, key STRING, population STRING,
    asked STRING, command STRING, level_names STRING[], level_epsilons DOUBLE[], level_deltas DOUBLE[],
    level_people INT64[], level_times INT64[], digest STRING);

// name: Profiles
// The table of sets of profiles.
CREATE NODE TABLE IF NOT EXISTS Profiles(
    name STRING PRIMARY KEY, created STRING, users INT64, items INT64, likes INT64, population STRING);

// name: User
// The table of users. A primary key is one column here: key is 'length of profile:profile:id'.
CREATE NODE TABLE IF NOT EXISTS User(key STRING PRIMARY KEY, `profile` STRING, id STRING, `group` STRING);

// name: Item
// The table of items. A primary key is one column here: key is 'length of profile:profile:id'.
CREATE NODE TABLE IF NOT EXISTS Item(key STRING PRIMARY KEY, `profile` STRING, id STRING);

// name: LIKES
// The table of likes: who likes what, how much, and with which privacy weight.
CREATE REL TABLE IF NOT EXISTS LIKES(FROM User TO Item, weight DOUBLE, value DOUBLE);

// name: SIMILAR
// The table of neighbours, as they were released.
CREATE REL TABLE IF NOT EXISTS SIMILAR(
    FROM User TO User, score DOUBLE, rank INT64, measure STRING, epsilon DOUBLE);

// name: DatasetGraph.mechanism_method
// How the stored mechanism was found.
ALTER TABLE DatasetGraph ADD IF NOT EXISTS mechanism_method STRING;

// name: DatasetGraph.mechanism_privacy
// What the stored mechanism keeps on every edge.
ALTER TABLE DatasetGraph ADD IF NOT EXISTS mechanism_privacy STRING;

// name: DatasetGraph.mechanism_mu
// The mu of a Gaussian mechanism, if all edges have the same.
ALTER TABLE DatasetGraph ADD IF NOT EXISTS mechanism_mu DOUBLE;

// name: NEIGHBOR.mu
// The mu of a Gaussian mechanism on an edge, if edges differ.
ALTER TABLE NEIGHBOR ADD IF NOT EXISTS mu DOUBLE;

// name: DatasetGraph.population
// Whose data a graph is about.
ALTER TABLE DatasetGraph ADD IF NOT EXISTS population STRING;

// name: DatasetGraph.revision
// What changes with every change of a graph.
ALTER TABLE DatasetGraph ADD IF NOT EXISTS revision STRING;

// name: DatasetGraph.certified
// A graph's certificate, as one text.
ALTER TABLE DatasetGraph ADD IF NOT EXISTS certified STRING;

// name: DatasetGraph.stale
// Whether a graph is known to have changed since its mechanism was written.
ALTER TABLE DatasetGraph ADD IF NOT EXISTS stale BOOL;

// name: Ledger.population
// Ledgers were by graph, and are by population.
ALTER TABLE Ledger RENAME graph TO population;

// name: Ledger.epsilon
// What all releases together may cost a person.
ALTER TABLE Ledger ADD IF NOT EXISTS epsilon DOUBLE;

// name: Ledger.delta
// At which delta.
ALTER TABLE Ledger ADD IF NOT EXISTS delta DOUBLE;

// name: Ledger.account
// The sum of what was answered.
ALTER TABLE Ledger ADD IF NOT EXISTS account STRING;

// name: Release.population
// Whose data was asked about.
ALTER TABLE Release ADD IF NOT EXISTS population STRING;

// name: Release.asked
// What was asked, as JSON.
ALTER TABLE Release ADD IF NOT EXISTS asked STRING;

// name: Release.command
// The words that asked.
ALTER TABLE Release ADD IF NOT EXISTS command STRING;

// name: Release.level_names
// The names of the levels that paid; empty for none.
ALTER TABLE Release ADD IF NOT EXISTS level_names STRING[];

// name: Release.level_epsilons
// What each of them paid.
ALTER TABLE Release ADD IF NOT EXISTS level_epsilons DOUBLE[];

// name: Release.level_deltas
// At which delta.
ALTER TABLE Release ADD IF NOT EXISTS level_deltas DOUBLE[];

// name: Release.level_people
// How many people each has; -1 where nobody knows.
ALTER TABLE Release ADD IF NOT EXISTS level_people INT64[];

// name: Release.level_times
// How often an answer took that much.
ALTER TABLE Release ADD IF NOT EXISTS level_times INT64[];

// name: Release.digest
// A digest of all the rest, which shows damage.
ALTER TABLE Release ADD IF NOT EXISTS digest STRING;

// name: Profiles.population
// Whose data profiles are about.
ALTER TABLE Profiles ADD IF NOT EXISTS population STRING;
