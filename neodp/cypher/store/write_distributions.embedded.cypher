// Write probabilities of more than two colours from columns.
LOAD FROM $rows
MATCH (d:Dataset {id: dataset})
SET d.probabilities = probabilities, d.p_true = p_true, d.distance = distance
RETURN count(*) AS written
