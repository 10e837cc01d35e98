"""SM-Opt (FCFS): best ranks each, side by side in queue order; a blocked head blocks (paper, Section 4.1)."""

from pipeline.studies.pim_ranks.rules import start

NEEDS = ("best_ranks",)
OVERHEAD = 0.055
COMPLEXITY = 2


@start
def rule(now, machine, jobs, options, memory, choice):
    """Heads of the queue on their best ranks while they fit; a head that does not fit blocks."""
    free, count, job = now.free_ranks, 0, now.first
    while job >= 0 and jobs.best_ranks[job] <= free:
        choice.job[count], choice.ranks[count] = job, jobs.best_ranks[job]
        free -= jobs.best_ranks[job]
        count += 1
        job = jobs.next[job]
    return count
