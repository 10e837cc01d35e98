"""Migration, with queues that are hash sets: an element waits once."""

from pipeline.studies.pim_graph.model import NEVER, NONE, OWNER, Policy

POLICY = Policy(OWNER, NONE, unique=True, steals=NEVER)
SIMPLICITY = 3
