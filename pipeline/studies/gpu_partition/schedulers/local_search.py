"""SMS, then tasks are moved and exchanged between partitions while that needs fewer SMs (ours)."""

METHOD = "mend"
PARTNER = "smallest_union"
SIMPLICITY = 4
