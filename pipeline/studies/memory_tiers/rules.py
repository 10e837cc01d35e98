"""What a scheduler of memory_tiers is asked: what a job takes."""

from __future__ import annotations

from pipeline.simulation.rules import Floats, signature

NODES, POOL_GB, LOCAL_GB = 0, 1, 2
"""Places in `ask`: nodes that the job takes, pool memory that it takes on all its nodes together, and local memory
that it needs on each of its nodes (more than there is: the job is rejected)."""


@signature
def take(nodes: int, request_gb: float, first_gb: float, peak_gb: float, local_gb: float, ask: Floats) -> None:
    """Write to `ask` what a job takes from its start on.

    nodes: as many as the job asks for; request_gb, first_gb, peak_gb: memory per node that it requests, that its first
    phase needs and that its largest phase needs; local_gb: memory of a node. A job whose `ask` is more than the whole
    machine has is rejected. Where the scheduler's file says FOLLOWS = True, POOL_GB is the most that the job comes to
    hold; what it holds is then the need of each phase beyond local memory.
    """
