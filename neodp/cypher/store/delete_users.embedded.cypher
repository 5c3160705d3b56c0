// Delete a profile's users with their relationships.
MATCH (u:User) WHERE u.`profile` = $profiles
DETACH DELETE u
RETURN count(*) AS deleted
