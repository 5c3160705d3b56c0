// The table of items. A primary key is one column here: key is 'length of profile:profile:id'.
CREATE NODE TABLE IF NOT EXISTS Item(key STRING PRIMARY KEY, `profile` STRING, id STRING)
