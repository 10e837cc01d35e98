"""Migration with hash sets, and neighbours on the same stack checked before."""

from pipeline.studies.pim_graph.model import LOCAL, NEVER, OWNER, Policy

POLICY = Policy(OWNER, LOCAL, unique=True, steals=NEVER)
SIMPLICITY = 4
