"""Neighbours go to the stacks in turn and are checked before; data is fetched where it lies."""

from pipeline.studies.pim_graph.model import ALL, NEVER, ROUND_ROBIN, Policy

POLICY = Policy(ROUND_ROBIN, ALL, unique=False, steals=NEVER)
SIMPLICITY = 1
