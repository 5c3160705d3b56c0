// A profile's next items in the order of their ids.
MATCH (i:Item) WHERE i.profile = $profiles AND i.id >= $from AND i.id <> $done
WITH i ORDER BY i.profile, i.id LIMIT $batch
RETURN collect(i.id) AS ids
