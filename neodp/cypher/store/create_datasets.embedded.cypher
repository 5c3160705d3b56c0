// Create datasets from columns.
LOAD FROM $rows
CREATE (:Dataset {id: dataset, graph: graph, key: key, color: color, alpha: alpha, alphas: alphas, preference: preference})
