// Some datasets by their ids.
UNWIND $ids AS wanted
MATCH (d:Dataset {id: wanted})
RETURN offset(id(d)) AS position, d.id AS id, d.key AS key, d.color AS color, d.alpha AS alpha, d.alphas AS alphas,
       d.preference AS preference
