// Delete the own node of a set of profiles.
MATCH (p:Profiles) WHERE p.name = $profiles
DELETE p
