"""Ours: chooses checks and queues by what a task would wait for, and steals only what would otherwise end later."""

from pipeline.studies.pim_graph.facts import Facts
from pipeline.studies.pim_graph.model import ALL, BC, LOCAL, OWNER, WORTHWHILE, Cost, Policy, serialised

SIMPLICITY = 6
LATE = 1.2
"""Elements that arrive too late and are discarded, per vertex with neighbours on other stacks, where checks are local:
the mean over stand-ins and sources that the development drew."""


def choose(algorithm: int, stacks: int, cost: Cost, facts: Facts) -> Policy:
    """The policy for a graph on a machine (docs/models/pim_graph.md, adaptive)."""
    trips = serialised(round(facts.degree * facts.remote) or 1, cost.mlp)
    wait = facts.exposed * trips * (cost.qr - cost.ql)
    discard = LATE * facts.exposed * (cost.s + cost.cd)
    if algorithm == BC or wait <= discard:
        return Policy(OWNER, ALL, unique=False, steals=WORTHWHILE)
    return Policy(OWNER, LOCAL, unique=True, steals=WORTHWHILE)
