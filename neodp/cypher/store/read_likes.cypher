// A profile's next users in the order of their ids, with their likes, as columns.
// A like without a weight counts as 0, which shows nothing; one without a value counts as 1.
MATCH (u:User) WHERE u.profile = $profiles AND u.id >= $from AND u.id <> $done
WITH u ORDER BY u.profile, u.id LIMIT $batch
WITH collect(u) AS us
CALL (us) {
  UNWIND range(0, size(us) - 1) AS n
  WITH n, us[n] AS u
  MATCH (u)-[r:LIKES]->(i:Item) WHERE i.profile = $profiles
  RETURN collect(n) AS owners, collect(i.id) AS items,
         collect(coalesce(r.weight, 0.0)) AS weights, collect(coalesce(r.value, 1.0)) AS values
}
RETURN [u IN us | u.id] AS ids, [u IN us | u.group] AS groups, owners, items, weights, values
