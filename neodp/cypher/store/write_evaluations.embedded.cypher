// Write the probabilities at some datasets from columns.
LOAD FROM $rows
MATCH (d:Dataset {id: dataset})
SET d.p = p, d.q = q, d.probabilities = probabilities, d.p_true = p_true
RETURN count(*) AS written
