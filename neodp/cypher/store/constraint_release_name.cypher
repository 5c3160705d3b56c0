// One release per name and graph: an answer is given once.
CREATE CONSTRAINT neodp_release_name IF NOT EXISTS FOR (r:Release) REQUIRE (r.graph, r.name) IS UNIQUE
