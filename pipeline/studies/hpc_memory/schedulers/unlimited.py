"""The baseline: every job has all the memory it needs at once (the paper's machine with 256 GB a node)."""

GRANTS = "everything"
SIMPLICITY = 0
