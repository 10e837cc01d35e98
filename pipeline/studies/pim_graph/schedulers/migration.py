"""Work goes to the stack of its vertex, unchecked; it is checked there when it is dequeued."""

from pipeline.studies.pim_graph.rules import never, to_owner

place = to_owner
steal = never
CHECKED = "none"
UNIQUE = False
COMPLEXITY = 2
