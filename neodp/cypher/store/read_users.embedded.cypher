// A profile's users.
MATCH (u:User) WHERE u.`profile` = $profiles
RETURN offset(id(u)) AS position, u.id AS id, u.`group` AS grp
