"""WFP3: large and short jobs that have waited long (Tang et al., Cluster 2009)."""

# ruff: noqa: ARG001 - a rule takes what its signature says, and need not look at all of it

from pipeline.studies.hpc_memory.rules import key


@key
def rule(now_s, submit_s, nodes, limit_s, priority, weights):
    """-(wait / limit)^3 nodes."""
    return -(((now_s - submit_s) / limit_s) ** 3) * nodes
