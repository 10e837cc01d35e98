"""Migration, with neighbours on the same stack checked before they are enqueued."""

from pipeline.studies.pim_graph.rules import never, to_owner

place = to_owner
steal = never
CHECKED = "local"
UNIQUE = False
COMPLEXITY = 3
