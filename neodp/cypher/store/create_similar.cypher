// Create neighbours from columns.
UNWIND range(0, size($users) - 1) AS i
MATCH (a:User {profile: $profiles, id: $users[i]})
MATCH (b:User {profile: $profiles, id: $others[i]})
CREATE (a)-[:SIMILAR {score: $scores[i], rank: $ranks[i], measure: $measure, epsilon: $epsilon}]->(b)
RETURN count(*) AS created
