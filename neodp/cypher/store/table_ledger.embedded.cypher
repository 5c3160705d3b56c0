// The table of ledgers.
CREATE NODE TABLE IF NOT EXISTS Ledger(graph STRING PRIMARY KEY, max_releases INT64)
