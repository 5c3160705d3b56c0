// All sets of profiles, with what is known about them.
MATCH (p:Profiles)
RETURN p.name AS name, 'ready' AS state, p.created AS created, p.users AS users, p.items AS items, p.likes AS likes
ORDER BY name
