// The table of edges.
CREATE REL TABLE IF NOT EXISTS NEIGHBOR(FROM Dataset TO Dataset, epsilon DOUBLE, delta DOUBLE)
