"""Migration, with queues that are hash sets: an element waits once."""

from pipeline.studies.pim_graph.rules import never, to_owner

place = to_owner
steal = never
CHECKED = "none"
UNIQUE = True
COMPLEXITY = 3
