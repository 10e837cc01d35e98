"""Migration with hash sets, and neighbours on the same stack checked before."""

CHECKED = "local"
UNIQUE = True
COMPLEXITY = 4
