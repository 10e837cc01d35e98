"""SE-Full: one job at a time on all ranks, the baseline of the ratios (paper, Section 4.1)."""

from pipeline.studies.pim_ranks.rules import start

NEEDS = ()
OVERHEAD = 0.0
COMPLEXITY = 0


@start
def rule(now, machine, jobs, options, memory, choice):
    """The head of the queue on all ranks, one job at a time."""
    if now.running > 0:
        return 0
    choice.job[0], choice.ranks[0] = now.first, machine.ranks
    return 1
