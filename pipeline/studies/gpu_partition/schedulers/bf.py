"""Best fit: merges with the first partner that fits, by the load of the union (paper, Definition 4, BF)."""

METHOD = "merge"
PARTNER = "least_load"
SIMPLICITY = 2
