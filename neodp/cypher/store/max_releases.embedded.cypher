// How many releases a graph may have, if that was ever set.
MATCH (l:Ledger) WHERE l.graph = $graph
RETURN l.max_releases AS max_releases
