// All sets of profiles, with what is known about them.
MATCH (p:Profiles)
RETURN p.name AS name, coalesce(p.state, 'ready') AS state, toString(p.created) AS created,
       coalesce(p.users, COUNT { MATCH (u:User) WHERE u.profile = p.name AND u.id IS NOT NULL }) AS users,
       coalesce(p.items, COUNT { MATCH (i:Item) WHERE i.profile = p.name AND i.id IS NOT NULL }) AS items,
       coalesce(p.likes, COUNT { MATCH (u:User)-[:LIKES]->() WHERE u.profile = p.name AND u.id IS NOT NULL }) AS likes,
       p.revision AS revision
ORDER BY name
