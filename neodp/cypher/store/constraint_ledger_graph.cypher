// One ledger per graph.
CREATE CONSTRAINT neodp_ledger_graph IF NOT EXISTS FOR (l:Ledger) REQUIRE l.graph IS UNIQUE
