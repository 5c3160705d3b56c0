// Write alpha from columns.
LOAD FROM $rows
MATCH (d:Dataset {id: dataset})
SET d.alpha = alpha, d.alphas = alphas
RETURN count(*) AS written
