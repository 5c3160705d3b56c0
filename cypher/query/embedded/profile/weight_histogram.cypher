// How many likes, of how many users, have a privacy weight of so much up to a tenth more. It shows weights: not private.
MATCH (p:NeodpProfiles {name: $profiles})
MATCH (u:User {`profile`: $profiles})-[r:LIKES]->(:Item)
WITH u, floor(coalesce(r.weight, 0.0) * 10.0 + 1e-9) AS tenths
RETURN tenths / 10.0 AS weight, count(*) AS likes, count(DISTINCT u) AS users
ORDER BY weight
