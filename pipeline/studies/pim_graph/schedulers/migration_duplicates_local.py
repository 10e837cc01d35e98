"""Migration with hash sets, and neighbours on the same stack checked before."""

from pipeline.studies.pim_graph.rules import never, to_owner

place = to_owner
steal = never
CHECKED = "local"
UNIQUE = True
COMPLEXITY = 4
