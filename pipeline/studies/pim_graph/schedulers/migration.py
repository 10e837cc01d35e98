"""Work goes to the stack of its vertex, unchecked; it is checked there when it is dequeued."""

CHECKED = "none"
UNIQUE = False
COMPLEXITY = 2
