"""F1: found by regression on simulated schedules (Carastan-Santos and de Camargo, SC 2017, Table 3)."""

# ruff: noqa: ARG001 - a rule takes what its signature says, and need not look at all of it

import math

from pipeline.studies.hpc_memory.rules import key


@key
def rule(now_s, submit_s, nodes, limit_s, priority, weights):
    """log10(limit) nodes + 870 log10(submit); submissions before the first second count as 1 s."""
    return math.log10(limit_s) * nodes + 870 * math.log10(max(submit_s, 1.0))
