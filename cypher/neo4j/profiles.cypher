// Users, items and likes in Neo4j, and the neighbours that were released.

// name: profiles
// All sets of profiles, with what is known about them.
MATCH (p:NeodpProfiles)
RETURN p.name AS name, coalesce(p.state, 'ready') AS state, toStringOrNull(p.created) AS created,
       coalesce(p.users, COUNT { MATCH (u:User) WHERE u.profile = p.name AND u.id IS NOT NULL }) AS users,
       coalesce(p.items, COUNT { MATCH (i:Item) WHERE i.profile = p.name AND i.id IS NOT NULL }) AS items,
       coalesce(p.likes, COUNT { MATCH (u:User)-[:LIKES]->() WHERE u.profile = p.name AND u.id IS NOT NULL }) AS likes,
       p.revision AS revision, coalesce(p.population, 'default') AS population
ORDER BY name;

// name: find_profiles
// Lock a set of profiles, made if need be, and say in what state it was.
MERGE (p:NeodpProfiles {name: $profiles})
  ON CREATE SET p.state = 'new', p.created = datetime()
SET p.touched = datetime()
RETURN coalesce(p.state, 'ready') AS state;

// name: claim_profiles
// Mark a set of profiles as being loaded or dropped by one writer.
MATCH (p:NeodpProfiles {name: $profiles})
SET p.state = $state, p.writer = $writer, p.revision = $writer
REMOVE p.users, p.items, p.likes
RETURN count(p) AS claimed;

// name: create_users
// Create users from columns, if the writer still owns the profile.
MATCH (p:NeodpProfiles {name: $profiles})
SET p.touched = datetime()
WITH p WHERE p.writer = $writer
UNWIND range(0, size($ids) - 1) AS i
CREATE (u:User {profile: $profiles, id: $ids[i], group: $groups[i]})
RETURN collect(elementId(u)) AS nodes;

// name: create_items
// Create items from columns, if the writer still owns the profile.
MATCH (p:NeodpProfiles {name: $profiles})
SET p.touched = datetime()
WITH p WHERE p.writer = $writer
UNWIND range(0, size($ids) - 1) AS i
CREATE (t:Item {profile: $profiles, id: $ids[i]})
RETURN collect(elementId(t)) AS nodes;

// name: create_likes
// Create likes from columns, if the writer still owns the profile.
MATCH (p:NeodpProfiles {name: $profiles})
SET p.touched = datetime()
WITH p WHERE p.writer = $writer
UNWIND range(0, size($users) - 1) AS i
MATCH (u) WHERE elementId(u) = $users[i]
MATCH (t) WHERE elementId(t) = $items[i]
CREATE (u)-[:LIKES {weight: $weights[i], value: $values[i]}]->(t)
RETURN count(*) AS created;

// name: finish_profiles
// Declare a set of profiles whole, if the writer still owns it.
MATCH (p:NeodpProfiles {name: $profiles})
SET p.touched = datetime()
WITH p WHERE p.writer = $writer
SET p.state = 'ready', p.users = $users, p.items = $items, p.likes = $likes, p.created = datetime(),
    p.population = coalesce($population, p.population, 'default')
REMOVE p.writer
RETURN count(p) AS finished;

// name: stage_profiles
// Make a set of profiles beside another one, to take its place once it is whole.
CREATE (p:NeodpProfiles {name: $staged, state: 'loading', writer: $writer, instead_of: $profiles, created: datetime()})
RETURN count(p) AS staged;

// name: find_staged_profiles
// Profiles that were to take the place of others, or had to make way, and are still there.
MATCH (p:NeodpProfiles) WHERE p.instead_of = $profiles
RETURN collect(p.name) AS names;

// name: lock_switch_profiles
// Lock profiles and those that are to take their place; how many, if the writer still owns those and these are whole.
MATCH (old:NeodpProfiles {name: $profiles}), (new:NeodpProfiles {name: $staged})
SET old.touched = datetime(), new.touched = datetime()
WITH old, new WHERE coalesce(old.state, 'ready') = 'ready' AND new.writer = $writer
RETURN count(new) AS locked;

// name: move_users
// Have all users of one name be those of another.
MATCH (u:User) WHERE u.profile = $profiles AND u.id IS NOT NULL
SET u.profile = $to
RETURN count(u) AS moved;

// name: move_items
// Have all items of one name be those of another.
MATCH (i:Item) WHERE i.profile = $profiles AND i.id IS NOT NULL
SET i.profile = $to
RETURN count(i) AS moved;

// name: switch_profiles
// What is known about the new profiles instead of the old ones; what was the new ones' own node stands for the old ones.
MATCH (old:NeodpProfiles {name: $profiles}), (new:NeodpProfiles {name: $staged})
SET old.users = $users, old.items = $items, old.likes = $likes, old.created = datetime(), old.revision = $writer,
    old.population = coalesce($population, old.population, 'default'), new.name = $removed, new.state = 'dropping'
REMOVE old.writer
RETURN count(*) AS switched;

// name: delete_users
// Delete some of a profile's users with their relationships, if the writer still owns it.
MATCH (p:NeodpProfiles {name: $profiles})
SET p.touched = datetime()
WITH p WHERE p.writer = $writer
MATCH (u:User) WHERE u.profile = $profiles AND u.id IS NOT NULL
WITH u LIMIT $batch
DETACH DELETE u
RETURN count(u) AS deleted;

// name: delete_items
// Delete some of a profile's items with their relationships, if the writer still owns it.
MATCH (p:NeodpProfiles {name: $profiles})
SET p.touched = datetime()
WITH p WHERE p.writer = $writer
MATCH (i:Item) WHERE i.profile = $profiles AND i.id IS NOT NULL
WITH i LIMIT $batch
DETACH DELETE i
RETURN count(i) AS deleted;

// name: delete_profiles
// Delete the own node of a set of profiles, if the writer still owns it.
MATCH (p:NeodpProfiles {name: $profiles})
SET p.touched = datetime()
WITH p WHERE p.writer = $writer
DELETE p
RETURN count(*) AS deleted;

// name: count_profiles
// How many users and items a profile has.
RETURN COUNT { MATCH (u:User) WHERE u.profile = $profiles AND u.id IS NOT NULL } AS users,
       COUNT { MATCH (i:Item) WHERE i.profile = $profiles AND i.id IS NOT NULL } AS items;

// name: read_items
// A profile's next items in the order of their ids.
MATCH (i:Item) WHERE i.profile = $profiles AND i.id >= $from AND i.id <> $done
WITH i ORDER BY i.profile, i.id LIMIT $batch
RETURN collect(i.id) AS ids;

// name: read_likes
// A profile's next users in the order of their ids, with their likes, as columns.
// A like without a weight counts as 0, which shows nothing; one without a value counts as 1.
MATCH (u:User) WHERE u.profile = $profiles AND u.id >= $from AND u.id <> $done
WITH u ORDER BY u.profile, u.id LIMIT $batch
WITH collect(u) AS us
CALL (us) {
  UNWIND range(0, size(us) - 1) AS n
  WITH n, us[n] AS u
  MATCH (u)-[r:LIKES]->(i:Item) WHERE i.profile = $profiles
  RETURN collect(n) AS owners, collect(i.id) AS items,
         collect(coalesce(r.weight, 0.0)) AS weights, collect(coalesce(r.value, 1.0)) AS values
}
RETURN [u IN us | u.id] AS ids, [u IN us | u.group] AS groups, owners, items, weights, values;

// name: clear_similar
// Forget the neighbours of some users of a profile that is whole; how many of the users there are.
MATCH (p:NeodpProfiles {name: $profiles})
SET p.touched = datetime()
WITH p WHERE coalesce(p.state, 'ready') = 'ready'
UNWIND $users AS id
MATCH (u:User {profile: $profiles, id: id})
OPTIONAL MATCH (u)-[s:SIMILAR]->()
DELETE s
RETURN count(DISTINCT u) AS found;

// name: create_similar
// Create neighbours from columns.
UNWIND range(0, size($users) - 1) AS i
MATCH (a:User {profile: $profiles, id: $users[i]})
MATCH (b:User {profile: $profiles, id: $others[i]})
CREATE (a)-[:SIMILAR {score: $scores[i], rank: $ranks[i], measure: $measure, epsilon: $epsilon}]->(b)
RETURN count(*) AS created;
