"""Migration, with neighbours on the same stack checked before they are enqueued."""

from pipeline.studies.pim_graph.model import LOCAL, OWNER, Policy

POLICY = Policy(OWNER, LOCAL, False, False)
SIMPLICITY = 3
