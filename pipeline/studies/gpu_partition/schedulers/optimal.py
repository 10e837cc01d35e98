"""The partitions that need the fewest SMs of all, of up to 12 tasks; of more a lower bound on the SMs (ours)."""

METHOD = "search"
SIMPLICITY = 5
