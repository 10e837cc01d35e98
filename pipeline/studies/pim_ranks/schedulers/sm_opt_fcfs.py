"""SM-Opt (FCFS): best ranks each, side by side in queue order; a blocked head blocks (paper, Section 4.1)."""

from pipeline.studies.pim_ranks import rules

rule = rules.in_order
NEEDS = ("best_ranks",)
OVERHEAD = 0.055
COMPLEXITY = 2
