"""migration_remote, and an idle core takes work of the fullest queue."""

from pipeline.studies.pim_graph.model import ALL, ALWAYS, OWNER, Policy

POLICY = Policy(OWNER, ALL, unique=False, steals=ALWAYS)
SIMPLICITY = 3
