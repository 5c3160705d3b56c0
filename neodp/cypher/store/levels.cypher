// The least and the greatest epsilon of a graph's edges, and the greatest delta.
MATCH (:Dataset {graph: $graph})-[r:NEIGHBOR]->()
RETURN coalesce(min(r.epsilon), 0.0) AS least, coalesce(max(r.epsilon), 0.0) AS greatest, coalesce(max(r.delta), 0.0) AS delta
