// Create items from columns.
LOAD FROM $rows
CREATE (:Item {key: key, `profile`: name, id: id})
