"""Migration, with queues that are hash sets: an element waits once."""

from pipeline.studies.pim_graph.model import NONE, OWNER, Policy

POLICY = Policy(OWNER, NONE, True, False)
SIMPLICITY = 3
