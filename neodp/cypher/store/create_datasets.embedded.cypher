// Create datasets from columns. Not by COPY: a kill between its commit and the checkpoint after it loses the rows.
LOAD FROM $rows
CREATE (:Dataset {id: dataset, graph: $graph, key: key, color: color, alpha: alpha, alphas: alphas})
