"""PIM-CARE whose leftover grants must be worth it: waiting for ranks that running jobs give back would not end earlier.

Ours; the rule stands in docs/models/pim_ranks.md.
"""

from pipeline.studies.pim_ranks import care

rule = care.priorities_worth_it
NEEDS = ("best_ranks", "window", "perf_at")
OVERHEAD = 0.06
COMPLEXITY = 5
