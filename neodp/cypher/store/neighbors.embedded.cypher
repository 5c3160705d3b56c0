// The edges at some datasets in either direction; nulls for a dataset without edges, and no row for an unknown id.
// OPTIONAL also keeps the order of work: first the datasets, then their edges.
UNWIND $ids AS wanted
MATCH (d:Dataset {id: wanted})
OPTIONAL MATCH (d)-[r:NEIGHBOR]-(n:Dataset {graph: $graph})
RETURN d.id AS id, d.key AS key, n.key AS neighbor, n.color AS color, n.alpha AS alpha, n.alphas AS alphas,
       n.preference AS preference, r.epsilon AS epsilon, coalesce(r.delta, 0.0) AS delta
