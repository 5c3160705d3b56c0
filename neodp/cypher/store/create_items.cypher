// Create items from columns, if the writer still owns the profile.
MATCH (p:Profiles {name: $profiles})
SET p.touched = datetime()
WITH p WHERE p.writer = $writer
UNWIND range(0, size($ids) - 1) AS i
CREATE (t:Item {profile: $profiles, id: $ids[i]})
RETURN collect(elementId(t)) AS nodes
