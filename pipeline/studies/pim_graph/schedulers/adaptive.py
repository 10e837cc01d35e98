"""Ours: checks early or late by what that costs on this graph and machine, and steals only where that ends sooner."""

from pipeline.studies.pim_graph.facts import Facts
from pipeline.studies.pim_graph.model import (
    ALL,
    BC,
    BFS,
    LOCAL,
    NEVER,
    OWNER,
    ROUND_ROBIN,
    WORTHWHILE,
    Cost,
    Policy,
    serialised,
)

SIMPLICITY = 6
LATE_BFS, LATE_SSSP = (1.8, 0.6), (1.4, 0.9)
"""Elements that come too late, a vertex, where checks are local: a - b (share of edges that leave their stack). Fitted
by eye to where the two ways cross on four stand-ins and three sources; docs/models/pim_graph.md."""


def choose(algorithm: int, stacks: int, cost: Cost, facts: Facts) -> Policy:
    """The policy for a graph on a machine: early checks where a task waits less for them than late elements take."""
    far = cost.qr - cost.ql
    if far == 0:
        return Policy(ROUND_ROBIN, ALL, unique=False, steals=NEVER)
    trips = serialised(max(1, round(facts.degree * facts.remote)), cost.mlp)
    most, less = LATE_BFS if algorithm == BFS else LATE_SSSP
    if algorithm == BC or facts.exposed * trips * far <= (most - less * facts.remote) * (cost.s + cost.cd):
        return Policy(OWNER, ALL, unique=False, steals=WORTHWHILE)
    return Policy(OWNER, LOCAL, unique=True, steals=WORTHWHILE)
