"""Work goes to the stack of its vertex, checked before it is enqueued."""

from pipeline.studies.pim_graph.model import ALL, OWNER, Policy

POLICY = Policy(OWNER, ALL, False, False)
SIMPLICITY = 2
