// What was answered, what it cost, and what may still be, in the embedded store; and what a graph is certified for.

// name: account
// What was answered about a population in sum, and how much may be, if either was ever written.
MATCH (l:Ledger {population: $population})
RETURN l.max_releases AS max_releases, l.epsilon AS epsilon, l.delta AS delta, l.account AS account;

// name: releases
// What was answered about a population, by time.
MATCH (r:Release) WHERE coalesce(r.population, 'default') = $population
RETURN r.graph AS graph, r.name AS name, r.answer AS answer, r.time AS time, r.key AS key,
       coalesce(r.population, 'default') AS population, r.asked AS asked, r.command AS command,
       r.level_names AS level_names, r.level_epsilons AS level_epsilons, r.level_deltas AS level_deltas,
       r.level_people AS level_people, r.level_times AS level_times, r.digest AS digest
ORDER BY time, name;

// name: populations
// The populations that something was answered about or allowed for, or that a graph or profiles belong to.
MATCH (l:Ledger) RETURN l.population AS population
UNION MATCH (r:Release) RETURN coalesce(r.population, 'default') AS population
UNION MATCH (g:DatasetGraph) RETURN coalesce(g.population, 'default') AS population
UNION MATCH (p:Profiles) RETURN coalesce(p.population, 'default') AS population;

// name: find_release
// The release of a name about a subject, by its id.
MATCH (r:Release {id: $id})
RETURN r.graph AS graph, r.name AS name, r.answer AS answer, r.time AS time, r.key AS key,
       coalesce(r.population, 'default') AS population, r.asked AS asked, r.command AS command,
       r.level_names AS level_names, r.level_epsilons AS level_epsilons, r.level_deltas AS level_deltas,
       r.level_people AS level_people, r.level_times AS level_times, r.digest AS digest;

// name: find_population
// The population of the releases about a subject, if there are any.
MATCH (r:Release) WHERE r.graph = $graph
RETURN coalesce(r.population, 'default') AS population ORDER BY r.time DESC LIMIT 1;

// name: allow
// Set how much may be answered about a population; null is no such limit.
MERGE (l:Ledger {population: $population})
SET l.max_releases = $releases, l.epsilon = $epsilon, l.delta = $delta;

// name: set_account
// Keep the sum of what was answered about a population.
MERGE (l:Ledger {population: $population}) SET l.account = $account;

// name: create_release
// Keep an answer, with what was asked and what it cost.
CREATE (:Release {id: $id, graph: $graph, name: $release, answer: $answer, time: $time, key: $key,
                  population: $population, asked: $asked, command: $command, level_names: $level_names,
                  level_epsilons: $level_epsilons, level_deltas: $level_deltas, level_people: $level_people,
                  level_times: $level_times, digest: $digest});

// name: certify
// Certify a graph as it is, if it is still what it was.
MATCH (g:DatasetGraph) WHERE g.name = $graph AND coalesce(g.revision, '') = coalesce($revision, '')
SET g.revision = $revision_now, g.certified = $certified, g.stale = $stale
RETURN count(*) AS certified;

// name: mark_changed
// Take back a graph's certificate, and mark its mechanism as stale: somebody has changed the graph.
MATCH (g:DatasetGraph) WHERE g.name = $graph
SET g.stale = g.mechanism IS NOT NULL, g.certified = NULL;
