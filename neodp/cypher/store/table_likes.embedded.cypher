// The table of likes: who likes what, how much, and with which privacy weight.
CREATE REL TABLE IF NOT EXISTS LIKES(FROM User TO Item, weight DOUBLE, value DOUBLE)
