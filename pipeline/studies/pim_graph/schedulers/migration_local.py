"""Migration, with neighbours on the same stack checked before they are enqueued."""

CHECKED = "local"
UNIQUE = False
COMPLEXITY = 3
