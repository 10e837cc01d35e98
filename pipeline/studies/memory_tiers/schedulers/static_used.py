"""Pool by largest phase: as by request, where every request is what the job needs at most."""

from pipeline.studies.memory_tiers.rules import LOCAL_GB, NODES, POOL_GB, take

COMPLEXITY = 3
FOLLOWS = False


@take
def rule(nodes, request_gb, first_gb, peak_gb, local_gb, ask):
    """Nodes, and the part of the largest phase that a node does not have."""
    ask[NODES], ask[POOL_GB], ask[LOCAL_GB] = nodes, nodes * max(0.0, peak_gb - local_gb), 0.0
