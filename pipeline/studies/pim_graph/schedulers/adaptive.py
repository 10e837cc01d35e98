"""Ours: early checks, late checks or the baseline, as a trial is fastest with; steals only where that ends sooner."""

from pipeline.studies.pim_graph.model import ALL, LOCAL, NEVER, OWNER, ROUND_ROBIN, WORTHWHILE, Policy

CANDIDATES = (
    Policy(ROUND_ROBIN, ALL, unique=False, steals=NEVER),
    Policy(OWNER, ALL, unique=False, steals=WORTHWHILE),
    Policy(OWNER, LOCAL, unique=True, steals=WORTHWHILE),
)
SIMPLICITY = 6
