// All graphs, with what is known about them.
MATCH (g:DatasetGraph)
RETURN g.name AS name, g.colors AS colors, coalesce(g.state, 'ready') AS state, g.created AS created,
       g.datasets AS datasets, g.edges AS edges,
       g.mechanism AS version, g.fingerprint AS fingerprint, g.written AS written,
       g.min_p_true AS min_p_true, g.mean_p_true AS mean_p_true
ORDER BY name
