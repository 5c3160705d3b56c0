// What was answered, what it cost, and what may still be, in Neo4j; and what a graph is certified for.

// name: account
// What was answered about a population in sum, and how much may be: one release, unless something else was set.
OPTIONAL MATCH (l:NeodpLedger {population: $population})
RETURN count(l) > 0 AS known, max(l.max_releases) AS max_releases, max(l.epsilon) AS epsilon,
       coalesce(max(l.delta), 0.0) AS delta, max(l.account) AS account;

// name: ledger
// The same, with everything that was answered, by time.
OPTIONAL MATCH (l:NeodpLedger {population: $population})
WITH count(l) > 0 AS known, max(l.max_releases) AS max_releases, max(l.epsilon) AS epsilon,
     coalesce(max(l.delta), 0.0) AS delta, max(l.account) AS account
OPTIONAL MATCH (r:NeodpRelease {population: $population}) WHERE r.name IS NOT NULL
WITH known, max_releases, epsilon, delta, account, r ORDER BY r.time, r.name
RETURN known, max_releases, epsilon, delta, account, [r IN collect(r) | r {.*, time: toStringOrNull(r.time)}] AS releases;

// name: populations
// The populations that something was answered about or allowed for, or that a graph or profiles belong to.
CALL () {
  MATCH (l:NeodpLedger) RETURN l.population AS population
  UNION MATCH (r:NeodpRelease) RETURN r.population AS population
  UNION MATCH (g:DatasetGraph) RETURN coalesce(g.population, 'default') AS population
  UNION MATCH (p:NeodpProfiles) RETURN coalesce(p.population, 'default') AS population
}
WITH DISTINCT population WHERE population IS NOT NULL
RETURN population ORDER BY population;

// name: ledgers
// The populations that something was answered about or allowed for.
CALL () {
  MATCH (l:NeodpLedger) RETURN l.population AS population
  UNION MATCH (r:NeodpRelease) WHERE r.name IS NOT NULL RETURN r.population AS population
}
WITH DISTINCT population WHERE population IS NOT NULL
RETURN population ORDER BY population;

// name: find_release
// The release of a name about a subject.
MATCH (r:NeodpRelease {graph: $graph, name: $release})
RETURN r {.*, time: toStringOrNull(r.time)} AS release;

// name: find_population
// The population of the releases about a subject, if there are any.
MATCH (r:NeodpRelease {graph: $graph}) WHERE r.name IS NOT NULL
RETURN coalesce(r.population, 'default') AS population ORDER BY r.time DESC LIMIT 1;

// name: lock_ledger
// Lock a population's ledger, made if need be: releases about the same people are kept one after another.
MERGE (l:NeodpLedger {population: $population}) ON CREATE SET l.max_releases = 1
SET l.touched = datetime();

// name: lock_ledger_with
// The same, where one that is made gets the limit that another store had.
MERGE (l:NeodpLedger {population: $population})
ON CREATE SET l.max_releases = $releases, l.epsilon = $epsilon, l.delta = $delta
SET l.touched = datetime();

// name: allow
// Set how much may be answered about a population. A property that is null is not stored: no such limit.
MERGE (l:NeodpLedger {population: $population})
SET l.max_releases = $releases, l.epsilon = $epsilon, l.delta = $delta, l.touched = datetime();

// name: set_account
// Keep the sum of what was answered about a population.
MATCH (l:NeodpLedger {population: $population}) SET l.account = $account;

// name: create_release
// Keep an answer, with what was asked and what it cost. A property that is null is not stored.
CREATE (r:NeodpRelease {graph: $graph, name: $release, answer: $answer, time: datetime(), key: $key, population: $population,
                   asked: $asked, command: $command, level_names: $level_names, level_epsilons: $level_epsilons,
                   level_deltas: $level_deltas, level_people: $level_people, level_times: $level_times, digest: $digest})
RETURN toString(r.time) AS time;

// name: set_time
// Give an answer that another store gave the time at which that was.
MATCH (r:NeodpRelease {graph: $graph, name: $release}) SET r.time = datetime($time)
RETURN toString(r.time) AS time;

// name: certify
// Certify a graph as it is, if it is still what it was. The certificate is one text that begins with the revision: who
// reads while it is written sees the old one or the new one.
MATCH (g:DatasetGraph {name: $graph})
SET g.touched = datetime()
WITH g WHERE coalesce(g.state, 'ready') = 'ready' AND coalesce(g.revision, '') = coalesce($revision, '')
SET g.revision = coalesce(g.revision, randomUUID()), g.stale = $stale
SET g.certified = g.revision + '\t' + $certificate
RETURN count(g) AS certified;

// name: mark_changed
// Take back a graph's certificate, and mark its mechanism as stale: somebody has changed the graph.
MATCH (g:DatasetGraph {name: $graph})
SET g.stale = g.mechanism IS NOT NULL
REMOVE g.certified;

// name: protections
// Who is protected in graphs of people, and what belongs to them, as JSON.
MATCH (p:NeodpProtection) WHERE p.text IS NOT NULL RETURN p.population AS population, p.text AS text;

// name: put_protection
// Keep who is protected, in place of what was kept for the same population.
MERGE (p:NeodpProtection {population: $population}) SET p.text = $text;

// name: drop_protection
// Delete a protection; the ledger of its people stays.
MATCH (p:NeodpProtection {population: $population}) DELETE p;
