"""Memory fixed to the nodes: every job gets its nodes' share from start to end, nothing is reconfigured."""

from pipeline.studies.hpc_memory import rules

rule = rules.share
COMPLEXITY = 1
