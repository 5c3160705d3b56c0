// Create users from columns, if the writer still owns the profile.
MATCH (p:Profiles {name: $profiles})
SET p.touched = datetime()
WITH p WHERE p.writer = $writer
UNWIND range(0, size($ids) - 1) AS i
CREATE (u:User {profile: $profiles, id: $ids[i], group: $groups[i]})
RETURN collect(elementId(u)) AS nodes
