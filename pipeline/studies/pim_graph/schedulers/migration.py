"""Work goes to the stack of its vertex, unchecked; it is checked there when it is dequeued."""

from pipeline.studies.pim_graph.model import NONE, OWNER, Policy

POLICY = Policy(OWNER, NONE, False, False)
SIMPLICITY = 2
