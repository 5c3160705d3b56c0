// Create edges from columns, fast; but a kill can take the rows and leave what else the transaction did.
COPY NEIGHBOR(epsilon, delta) FROM $rows
