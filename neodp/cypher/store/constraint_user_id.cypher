// One user per id and profile; its index also finds and orders a profile's users.
CREATE CONSTRAINT neodp_user_id IF NOT EXISTS FOR (u:User) REQUIRE (u.profile, u.id) IS UNIQUE
