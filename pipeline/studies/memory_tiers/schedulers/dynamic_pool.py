"""Pool by phase: a job starts with what its first phase needs, and then holds what each phase needs."""

from pipeline.studies.memory_tiers.rules import LOCAL_GB, NODES, POOL_GB, take

COMPLEXITY = 4
FOLLOWS = True


@take
def rule(nodes, request_gb, first_gb, peak_gb, local_gb, ask):
    """Nodes; the most that it comes to hold is the part of the largest phase that a node does not have."""
    ask[NODES], ask[POOL_GB], ask[LOCAL_GB] = nodes, nodes * max(0.0, peak_gb - local_gb), 0.0
