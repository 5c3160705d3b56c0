// Create datasets from columns, fast; but a kill can take the rows and leave what else the transaction did.
COPY Dataset(id, graph, key, color, alpha, alphas, preference) FROM $rows
