// Create datasets from columns, in a transaction with anything else.
LOAD FROM $rows
CREATE (:Dataset {id: dataset, graph: graph, key: key, color: color, alpha: alpha, alphas: alphas})
