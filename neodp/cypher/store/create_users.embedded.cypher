// Create users from columns.
LOAD FROM $rows
CREATE (:User {key: key, `profile`: name, id: id, `group`: grp})
