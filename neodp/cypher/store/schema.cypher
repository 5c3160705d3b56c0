// Which constraints and indexes there are, by name.
SHOW INDEXES YIELD name RETURN collect(name) AS names
