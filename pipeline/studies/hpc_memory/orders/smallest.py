"""Fewest nodes."""

# ruff: noqa: ARG001 - a rule takes what its signature says, and need not look at all of it

from pipeline.studies.hpc_memory.rules import key


@key
def rule(now_s, submit_s, nodes, limit_s, priority, weights):
    """Nodes."""
    return float(nodes)
