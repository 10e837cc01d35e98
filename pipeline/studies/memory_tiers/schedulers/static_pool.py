"""Pool by request: a job starts when nodes and what it requests beyond local memory are free, and keeps both."""

from pipeline.studies.memory_tiers.rules import LOCAL_GB, NODES, POOL_GB, take

COMPLEXITY = 2
FOLLOWS = False


@take
def rule(nodes, request_gb, first_gb, peak_gb, local_gb, ask):
    """Nodes, and the part of the request that a node does not have."""
    ask[NODES], ask[POOL_GB], ask[LOCAL_GB] = nodes, nodes * max(0.0, request_gb - local_gb), 0.0
