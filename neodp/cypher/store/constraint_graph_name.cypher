// One graph per name.
CREATE CONSTRAINT neodp_graph_name IF NOT EXISTS FOR (g:DatasetGraph) REQUIRE g.name IS UNIQUE
