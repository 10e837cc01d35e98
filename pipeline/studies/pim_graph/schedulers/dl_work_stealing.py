"""migration_duplicates_local, and an idle core takes work of the fullest queue."""

from pipeline.studies.pim_graph.model import LOCAL, OWNER, Policy

POLICY = Policy(OWNER, LOCAL, True, True)
SIMPLICITY = 5
