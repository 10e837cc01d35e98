"""PIM-CARE: carried priorities over a window, leftover ranks are granted (paper, Section 3.3, Algorithm 2)."""

from pipeline.studies.pim_ranks import care

rule = care.priorities
NEEDS = ("best_ranks", "window", "perf_at")
OVERHEAD = 0.06
COMPLEXITY = 4
