// Which tables there are, by name.
CALL show_tables() RETURN name
