"""Priority of the paper: nobody waits for the pool; who needs least per node gets what the phase needs first."""

from pipeline.studies.memory_tiers.rules import LOCAL_GB, NODES, POOL_GB, take

COMPLEXITY = 5
FOLLOWS = True


@take
def rule(nodes, request_gb, first_gb, peak_gb, local_gb, ask):
    """Nodes; a job starts without any of the pool."""
    ask[NODES], ask[POOL_GB], ask[LOCAL_GB] = nodes, 0.0, 0.0


def order(workload):
    """Need per node (paper, Section IV-A: most nodes per GB first)."""
    return workload.memory_gb
