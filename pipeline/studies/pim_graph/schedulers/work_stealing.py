"""migration_remote, and an idle core takes work of the fullest queue."""

from pipeline.studies.pim_graph.rules import from_the_fullest, to_owner

place = to_owner
steal = from_the_fullest
CHECKED = "all"
UNIQUE = False
COMPLEXITY = 3
