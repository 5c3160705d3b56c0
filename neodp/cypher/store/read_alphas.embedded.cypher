// The alpha of all datasets that have one.
MATCH (d:Dataset) WHERE d.graph = $graph AND (d.alpha IS NOT NULL OR d.alphas IS NOT NULL)
RETURN d.key AS key, d.alpha AS alpha, d.alphas AS alphas
