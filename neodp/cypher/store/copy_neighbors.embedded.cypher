// Create edges from columns, fast. What else is in the transaction can outlive a kill that its rows do not.
COPY NEIGHBOR(epsilon, delta) FROM $rows
