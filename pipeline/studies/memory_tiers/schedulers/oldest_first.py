"""Oldest-First of the paper: nobody waits for the pool; who was released first gets what the phase needs first."""

import numpy as np

from pipeline.studies.memory_tiers.rules import LOCAL_GB, NODES, POOL_GB, take

COMPLEXITY = 5
FOLLOWS = True


@take
def rule(nodes, request_gb, first_gb, peak_gb, local_gb, ask):
    """Nodes; a job starts without any of the pool."""
    ask[NODES], ask[POOL_GB], ask[LOCAL_GB] = nodes, 0.0, 0.0


def order(workload):
    """All alike, so that release and job id decide (paper, Section IV-C)."""
    return np.zeros(len(workload.memory_gb))
