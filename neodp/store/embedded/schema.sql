-- The embedded store: one SQLite file, version 3. Its ledger can be read with `sqlite3 neodp.db` and nothing else.
--
-- Numbers that must come back bit for bit are texts, as Python's repr writes them: float(text) is the number.
-- A digest is the SHA-256 of the rest of its row (records.py), and of a chunk with its place (columns.py).

-- How many rows a table has, and the sum of their digests: a row that vanished shows.
CREATE TABLE tally (
    name TEXT NOT NULL PRIMARY KEY,
    rows INTEGER NOT NULL,
    sum TEXT NOT NULL,
    digest TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- How much may be answered about the people of a population, and the sum of what was.
CREATE TABLE population (
    name TEXT NOT NULL PRIMARY KEY,
    max_releases INTEGER,
    epsilon TEXT,
    delta TEXT NOT NULL,
    account TEXT,
    digest TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What was answered. Two indexes find a release; a search that one of them misses and the other does not shows damage.
CREATE TABLE release (
    id INTEGER NOT NULL PRIMARY KEY,
    subject TEXT NOT NULL,
    name TEXT NOT NULL,
    population TEXT NOT NULL,
    answer TEXT NOT NULL,
    time TEXT NOT NULL,
    key TEXT,
    asked TEXT NOT NULL,
    command TEXT NOT NULL,
    identity TEXT NOT NULL,
    digest TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX release_by_name ON release (subject, name);

CREATE UNIQUE INDEX release_by_identity ON release (identity);

CREATE INDEX release_by_population ON release (population);

-- What a release cost the people of each level of privacy.
CREATE TABLE level (
    release INTEGER NOT NULL REFERENCES release,
    position INTEGER NOT NULL,
    name TEXT,
    epsilon TEXT NOT NULL,
    delta TEXT NOT NULL,
    people INTEGER,
    times INTEGER NOT NULL,
    PRIMARY KEY (release, position)
) STRICT, WITHOUT ROWID;

-- Who is protected in a graph of people, and what belongs to them, as JSON.
CREATE TABLE protection (
    name TEXT NOT NULL PRIMARY KEY,
    text TEXT NOT NULL,
    digest TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What holds for the store as a whole: the role of whoever runs commands on it.
CREATE TABLE setting (
    name TEXT NOT NULL PRIMARY KEY,
    text TEXT NOT NULL,
    digest TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Graphs of datasets. Their columns are chunks of the versions named here: content (keys, colours, edges),
-- revision (alpha), mechanism (all probabilities) and evaluated (the probabilities of some datasets).
CREATE TABLE graph (
    name TEXT NOT NULL PRIMARY KEY,
    colors TEXT NOT NULL,
    datasets INTEGER NOT NULL,
    edges INTEGER NOT NULL,
    levels INTEGER NOT NULL,
    ordered INTEGER NOT NULL,
    least TEXT NOT NULL,
    population TEXT NOT NULL,
    created TEXT NOT NULL,
    content TEXT NOT NULL,
    revision TEXT NOT NULL,
    certified TEXT,
    mechanism TEXT,
    written TEXT,
    min_p_true TEXT,
    mean_p_true TEXT,
    method TEXT,
    privacy TEXT,
    mu TEXT,
    expected TEXT,
    bound TEXT,
    prior TEXT,
    stale INTEGER NOT NULL,
    evaluated TEXT,
    digest TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Users, items and likes. Their columns are chunks of the versions content and neighbors.
CREATE TABLE profile (
    name TEXT NOT NULL PRIMARY KEY,
    users INTEGER NOT NULL,
    items INTEGER NOT NULL,
    likes INTEGER NOT NULL,
    grouped INTEGER NOT NULL,
    population TEXT NOT NULL,
    created TEXT NOT NULL,
    content TEXT NOT NULL,
    neighbors TEXT,
    similar INTEGER NOT NULL,
    digest TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Columns of numbers, little-endian, in parts.
CREATE TABLE chunk (
    version TEXT NOT NULL,
    name TEXT NOT NULL,
    part INTEGER NOT NULL,
    data BLOB NOT NULL,
    digest BLOB NOT NULL,
    PRIMARY KEY (version, name, part)
) STRICT;
