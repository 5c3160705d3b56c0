// The table of sets of profiles.
CREATE NODE TABLE IF NOT EXISTS Profiles(
    name STRING PRIMARY KEY, created STRING, users INT64, items INT64, likes INT64)
