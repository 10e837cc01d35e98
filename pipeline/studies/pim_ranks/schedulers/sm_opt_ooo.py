"""SM-Opt (OoO): best ranks each, the first of the queue that fits (paper, Section 4.1)."""

from pipeline.studies.pim_ranks import rules

rule = rules.first_fit
NEEDS = ("best_ranks", "ooo_window")
OVERHEAD = 0.06
COMPLEXITY = 3
