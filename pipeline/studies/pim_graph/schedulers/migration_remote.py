"""Work goes to the stack of its vertex, checked before it is enqueued."""

from pipeline.studies.pim_graph.model import ALL, NEVER, OWNER, Policy

POLICY = Policy(OWNER, ALL, unique=False, steals=NEVER)
SIMPLICITY = 2
