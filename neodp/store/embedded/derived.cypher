// The tables of a copy that Cypher queries read (derived.py). {colors} are the columns of more than two colours.
CREATE NODE TABLE DatasetGraph(
    name STRING PRIMARY KEY, colors STRING[], state STRING, created STRING, datasets INT64, edges INT64,
    mechanism STRING, written STRING, min_p_true DOUBLE, mean_p_true DOUBLE, mechanism_method STRING,
    mechanism_privacy STRING, mechanism_mu DOUBLE, mechanism_expected DOUBLE, mechanism_bound DOUBLE,
    mechanism_prior STRING, population STRING, revision STRING, certified STRING, stale BOOL);
CREATE NODE TABLE Dataset(
    id INT64 PRIMARY KEY, graph STRING, key STRING, color STRING, alpha DOUBLE, preference STRING[], p DOUBLE, q DOUBLE,
    p_true DOUBLE, distance INT64{colors});
CREATE REL TABLE NEIGHBOR(FROM Dataset TO Dataset, epsilon DOUBLE, delta DOUBLE, mu DOUBLE);
CREATE NODE TABLE NeodpProfiles(
    name STRING PRIMARY KEY, created STRING, users INT64, items INT64, likes INT64, population STRING);
CREATE NODE TABLE User(node INT64 PRIMARY KEY, `profile` STRING, id STRING, `group` STRING);
CREATE NODE TABLE Item(node INT64 PRIMARY KEY, `profile` STRING, id STRING);
CREATE REL TABLE LIKES(FROM User TO Item, weight DOUBLE, value DOUBLE);
CREATE REL TABLE SIMILAR(FROM User TO User, score DOUBLE, rank INT64, measure STRING, epsilon DOUBLE);
"""
