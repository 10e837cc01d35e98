"""Local memory alone: a job that requests more than a node has takes more nodes, as users do."""

import math

from pipeline.studies.memory_tiers.rules import LOCAL_GB, NODES, POOL_GB, take

COMPLEXITY = 1
FOLLOWS = False


@take
def rule(nodes, request_gb, first_gb, peak_gb, local_gb, ask):
    """As many nodes as hold its request; none where nodes have no memory."""
    ask[NODES], ask[POOL_GB], ask[LOCAL_GB] = nodes, 0.0, 0.0
    if request_gb > local_gb:
        if local_gb > 0:
            ask[NODES] = math.ceil(nodes * request_gb / local_gb - 1e-9)
        else:
            ask[LOCAL_GB] = request_gb
