"""Work goes to the stack of its vertex, unchecked; it is checked there when it is dequeued."""

from pipeline.studies.pim_graph.model import NEVER, NONE, OWNER, Policy

POLICY = Policy(OWNER, NONE, unique=False, steals=NEVER)
SIMPLICITY = 2
