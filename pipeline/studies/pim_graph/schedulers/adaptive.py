"""Ours: early checks, late checks or the baseline, as a trial is fastest with; steals only where that ends sooner."""

from pipeline.studies.pim_graph.rules import Policy, in_turn, never, to_owner, where_it_ends_sooner

CANDIDATES = (
    Policy(in_turn, never, checked="all", unique=False),
    Policy(to_owner, where_it_ends_sooner, checked="all", unique=False),
    Policy(to_owner, where_it_ends_sooner, checked="local", unique=True),
)
COMPLEXITY = 6
