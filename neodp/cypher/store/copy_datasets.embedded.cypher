// Create datasets from columns, fast. What else is in the transaction can outlive a kill that its rows do not.
COPY Dataset(id, graph, key, color, alpha, alphas) FROM $rows
