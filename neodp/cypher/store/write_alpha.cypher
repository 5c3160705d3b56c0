// Write alpha from columns.
UNWIND range(0, size($ids) - 1) AS i
MATCH (d) WHERE elementId(d) = $ids[i] AND d.graph = $graph
SET d.alpha = $alphas[i]
RETURN count(d) AS written
