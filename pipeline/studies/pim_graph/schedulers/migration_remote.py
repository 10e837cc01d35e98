"""Work goes to the stack of its vertex, checked before it is enqueued."""

CHECKED = "all"
UNIQUE = False
COMPLEXITY = 2
