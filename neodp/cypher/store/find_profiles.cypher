// Lock a set of profiles, made if need be, and say in what state it was.
MERGE (p:Profiles {name: $profiles})
  ON CREATE SET p.state = 'new', p.created = datetime()
SET p.touched = datetime()
RETURN coalesce(p.state, 'ready') AS state
