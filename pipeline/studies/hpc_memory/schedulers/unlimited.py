"""The baseline: every job has all the memory it needs at once (the paper's machine with 256 GB per node)."""

from pipeline.studies.hpc_memory import rules

rule = rules.everything
COMPLEXITY = 0
