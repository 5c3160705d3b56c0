// All graphs, with what is known about them.
MATCH (g:DatasetGraph)
RETURN g.name AS name, g.colors AS colors, coalesce(g.state, 'ready') AS state, toString(g.created) AS created,
       coalesce(g.datasets, COUNT { MATCH (:Dataset {graph: g.name}) }) AS datasets,
       coalesce(g.edges, COUNT { MATCH (:Dataset {graph: g.name})-[:NEIGHBOR]->() }) AS edges,
       g.mechanism AS version, g.fingerprint AS fingerprint, toString(g.written) AS written,
       g.min_p_true AS min_p_true, g.mean_p_true AS mean_p_true, g.revision AS revision
ORDER BY name
