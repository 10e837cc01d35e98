"""migration_remote, and an idle core takes work of the fullest queue."""

from pipeline.studies.pim_graph.model import ALL, OWNER, Policy

POLICY = Policy(OWNER, ALL, False, True)
SIMPLICITY = 3
