// Set how many releases a graph may have.
MERGE (l:Ledger {graph: $graph})
SET l.max_releases = $releases, l.touched = datetime()
