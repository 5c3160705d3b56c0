// Some datasets by their ids, with what was written for them.
UNWIND $ids AS wanted
MATCH (d:Dataset {id: wanted})
RETURN d.id AS id, d.key AS key, d.color AS color, d.alpha AS alpha, d.alphas AS alphas, d.p AS p, d.q AS q,
       d.probabilities AS probabilities
