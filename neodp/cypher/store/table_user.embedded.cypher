// The table of users. A primary key is one column here: key is 'length of profile:profile:id'.
CREATE NODE TABLE IF NOT EXISTS User(key STRING PRIMARY KEY, `profile` STRING, id STRING, `group` STRING)
