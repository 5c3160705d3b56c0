// Write probabilities of two colours from columns.
LOAD FROM $rows
MATCH (d:Dataset {id: dataset})
SET d.p = p, d.q = q, d.p_true = p_true, d.distance = distance
RETURN count(*) AS written
