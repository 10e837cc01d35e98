"""Work goes to the stack of its vertex, checked before it is enqueued."""

from pipeline.studies.pim_graph.rules import never, to_owner

place = to_owner
steal = never
CHECKED = "all"
UNIQUE = False
COMPLEXITY = 2
