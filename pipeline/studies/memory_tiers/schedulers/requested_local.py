"""Local memory alone: a job starts where its request fits into its nodes, and is rejected where it cannot."""

from pipeline.studies.memory_tiers.rules import LOCAL_GB, NODES, POOL_GB, take

COMPLEXITY = 1
FOLLOWS = False


@take
def rule(nodes, request_gb, first_gb, peak_gb, local_gb, ask):
    """Nodes, and its request on each of them."""
    ask[NODES], ask[POOL_GB], ask[LOCAL_GB] = nodes, 0.0, request_gb
