// How many users and items a profile has.
RETURN COUNT { MATCH (u:User) WHERE u.profile = $profiles AND u.id IS NOT NULL } AS users,
       COUNT { MATCH (i:Item) WHERE i.profile = $profiles AND i.id IS NOT NULL } AS items
