"""Neighbours go to the stacks in turn and are checked before; data is fetched where it lies."""

from pipeline.studies.pim_graph.rules import in_turn, never

place = in_turn
steal = never
CHECKED = "all"
UNIQUE = False
COMPLEXITY = 1
