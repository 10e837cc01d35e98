"""UNICEF: small and short jobs that have waited long (Tang et al., Cluster 2009)."""

# ruff: noqa: ARG001 - a rule takes what its signature says, and need not look at all of it

import math

from pipeline.studies.hpc_memory.rules import key


@key
def rule(now_s, submit_s, nodes, limit_s, priority, weights):
    """-wait / (log2(nodes) limit); a job of one node counts as two, where the logarithm would be 0."""
    return -(now_s - submit_s) / (math.log2(max(nodes, 2)) * limit_s)
