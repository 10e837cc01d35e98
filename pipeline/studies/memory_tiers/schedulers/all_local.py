"""All memory local: nodes alone decide, nothing slows a job; what losses are measured against."""

from pipeline.studies.memory_tiers.rules import LOCAL_GB, NODES, POOL_GB, take

COMPLEXITY = 0
FOLLOWS = False


@take
def rule(nodes, request_gb, first_gb, peak_gb, local_gb, ask):
    """Nodes; the memory is there, whatever the machine has."""
    ask[NODES], ask[POOL_GB], ask[LOCAL_GB] = nodes, 0.0, 0.0
