// One set of profiles per name.
CREATE CONSTRAINT neodp_profiles_name IF NOT EXISTS FOR (p:Profiles) REQUIRE p.name IS UNIQUE
