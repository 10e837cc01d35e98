"""SE-Opt: one job at a time on its best number of ranks (paper, Section 4.1)."""

from pipeline.studies.pim_ranks import rules

rule = rules.one_at_a_time
NEEDS = ("best_ranks",)
OVERHEAD = 0.0
COMPLEXITY = 1
