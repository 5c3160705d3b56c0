// The stored probabilities of some datasets, as columns.
UNWIND $ids AS id
MATCH (d) WHERE elementId(d) = id
WITH collect(d) AS ds
RETURN [d IN ds | d.key] AS keys, [d IN ds | d.p] AS ps, [d IN ds | d.q] AS qs,
       [d IN ds | d.probabilities] AS distributions
