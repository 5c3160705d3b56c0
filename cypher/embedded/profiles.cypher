// Users, items and likes in the embedded store, and the neighbours that were released.

// name: profiles
// All sets of profiles, with what is known about them.
MATCH (p:Profiles)
RETURN p.name AS name, 'ready' AS state, p.created AS created, p.users AS users, p.items AS items, p.likes AS likes,
       coalesce(p.population, 'default') AS population
ORDER BY name;

// name: create_profiles
// Create the own node of a set of profiles.
CREATE (:Profiles {name: $profiles, created: $created, users: $users, items: $items, likes: $likes,
                   population: $population});

// name: create_users
// Create users from columns.
LOAD FROM $rows
CREATE (:User {key: key, `profile`: name, id: id, `group`: grp});

// name: create_items
// Create items from columns.
LOAD FROM $rows
CREATE (:Item {key: key, `profile`: name, id: id});

// name: create_likes
// Create likes from columns.
LOAD FROM $rows
MATCH (u:User {key: user})
MATCH (t:Item {key: item})
CREATE (u)-[:LIKES {weight: weight, value: value}]->(t);

// name: delete_users
// Delete a profile's users with their relationships.
MATCH (u:User) WHERE u.`profile` = $profiles
DETACH DELETE u
RETURN count(*) AS deleted;

// name: delete_items
// Delete a profile's items with their relationships.
MATCH (i:Item) WHERE i.`profile` = $profiles
DETACH DELETE i
RETURN count(*) AS deleted;

// name: delete_profiles
// Delete the own node of a set of profiles.
MATCH (p:Profiles) WHERE p.name = $profiles
DELETE p;

// name: read_users
// A profile's users.
MATCH (u:User) WHERE u.`profile` = $profiles
RETURN offset(id(u)) AS position, u.id AS id, u.`group` AS grp;

// name: read_items
// A profile's items.
MATCH (i:Item) WHERE i.`profile` = $profiles
RETURN offset(id(i)) AS position, i.id AS id;

// name: read_likes
// A profile's likes. One without a weight counts as 0, which shows nothing; one without a value counts as 1.
MATCH (u:User)-[r:LIKES]->(i:Item) WHERE u.`profile` = $profiles AND i.`profile` = $profiles
RETURN u.id AS user, i.id AS item, coalesce(r.weight, 0.0) AS weight, coalesce(r.value, 1.0) AS value;

// name: clear_similar
// Forget the neighbours of some users.
LOAD FROM $rows
MATCH (u:User {key: user})
MATCH (u)-[s:SIMILAR]->(:User)
DELETE s;

// name: create_similar
// Create neighbours from columns.
LOAD FROM $rows
MATCH (a:User {key: user})
MATCH (b:User {key: other})
CREATE (a)-[:SIMILAR {score: score, rank: place, measure: measure, epsilon: epsilon}]->(b)
RETURN count(*) AS created;
