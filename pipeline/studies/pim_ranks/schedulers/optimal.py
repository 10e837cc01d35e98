"""The best schedule there is, by exact search; small sets only, for it knows all arrivals and run times beforehand."""

from pipeline.studies.pim_ranks import search

rule = search.best_schedule
NEEDS = ("few_jobs", "objective")
OVERHEAD = 0.0
COMPLEXITY = 9
