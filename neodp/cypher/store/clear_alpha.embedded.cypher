// Remove a graph's alpha.
MATCH (d:Dataset) WHERE d.graph = $graph AND (d.alpha IS NOT NULL OR d.alphas IS NOT NULL)
SET d.alpha = NULL, d.alphas = NULL
