"""Migration, with queues that are hash sets: an element waits once."""

CHECKED = "none"
UNIQUE = True
COMPLEXITY = 3
