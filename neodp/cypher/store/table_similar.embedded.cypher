// The table of neighbours, as they were released.
CREATE REL TABLE IF NOT EXISTS SIMILAR(
    FROM User TO User, score DOUBLE, rank INT64, measure STRING, epsilon DOUBLE)
