// Who is similar to a user, nearest first, as it was released.
// $user
// $limit = 10
MATCH (p:NeodpProfiles {name: $profiles})
MATCH (u:User {profile: $profiles, id: $user})-[s:SIMILAR]->(v:User {profile: $profiles})
RETURN v.id AS user, s.score AS score, s.rank AS rank, s.measure AS measure, s.epsilon AS epsilon
ORDER BY rank LIMIT $limit
