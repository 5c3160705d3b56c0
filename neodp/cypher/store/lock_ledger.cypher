// Lock a graph's ledger, made if need be: releases of one graph are kept one after another.
MERGE (l:Ledger {graph: $graph}) ON CREATE SET l.max_releases = 1
SET l.touched = datetime()
