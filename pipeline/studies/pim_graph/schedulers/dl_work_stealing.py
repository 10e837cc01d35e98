"""migration_duplicates_local, and an idle core takes work of the fullest queue."""

from pipeline.studies.pim_graph.model import ALWAYS, LOCAL, OWNER, Policy

POLICY = Policy(OWNER, LOCAL, unique=True, steals=ALWAYS)
SIMPLICITY = 5
