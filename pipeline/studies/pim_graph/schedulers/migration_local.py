"""Migration, with neighbours on the same stack checked before they are enqueued."""

from pipeline.studies.pim_graph.model import LOCAL, NEVER, OWNER, Policy

POLICY = Policy(OWNER, LOCAL, unique=False, steals=NEVER)
SIMPLICITY = 3
