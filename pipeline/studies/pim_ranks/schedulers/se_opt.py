"""SE-Opt: one job at a time on its best number of ranks (paper, Section 4.1)."""

from pipeline.studies.pim_ranks.rules import start

NEEDS = ("best_ranks",)
OVERHEAD = 0.0
COMPLEXITY = 1


@start
def rule(now, machine, jobs, options, memory, choice):
    """The head of the queue on its best ranks, one job at a time."""
    if now.running > 0:
        return 0
    choice.job[0], choice.ranks[0] = now.first, jobs.best_ranks[now.first]
    return 1
