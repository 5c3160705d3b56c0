// Forget the neighbours of some users.
LOAD FROM $rows
MATCH (u:User {key: user})
MATCH (u)-[s:SIMILAR]->(:User)
DELETE s
