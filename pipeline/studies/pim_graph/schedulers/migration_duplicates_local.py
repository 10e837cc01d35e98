"""Migration with hash sets, and neighbours on the same stack checked before."""

from pipeline.studies.pim_graph.model import LOCAL, OWNER, Policy

POLICY = Policy(OWNER, LOCAL, True, False)
SIMPLICITY = 4
