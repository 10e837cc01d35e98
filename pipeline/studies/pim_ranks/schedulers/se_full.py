"""SE-Full: one job at a time on all ranks, the baseline of the ratios (paper, Section 4.1)."""

from pipeline.studies.pim_ranks import rules

rule = rules.whole_machine
NEEDS = ()
OVERHEAD = 0.0
COMPLEXITY = 0
