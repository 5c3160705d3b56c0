// What similar users like and a user does not, by the sum of their scores, or, where no scores were released, by how many like it. It shows likes as they are: not private.
// $user
// $limit = 10
MATCH (p:NeodpProfiles {name: $profiles})
MATCH (u:User {`profile`: $profiles, id: $user})-[s:SIMILAR]->(v:User {`profile`: $profiles})-[:LIKES]->(i:Item)
WHERE NOT EXISTS { MATCH (u)-[:LIKES]->(i) }
RETURN i.id AS item, sum(coalesce(s.score, 0.0)) AS score, count(v) AS liked_by
ORDER BY score DESC, liked_by DESC, item LIMIT $limit
