"""Shortest first: of the waiting jobs the one that takes the least time on the ranks it would get (SJF over ranks)."""

from numpy import inf

from pipeline.studies.pim_ranks.rules import expected_s, start

NEEDS = ("best_ranks",)
OVERHEAD = 0.06
COMPLEXITY = 3


@start
def rule(now, machine, jobs, options, memory, choice):
    """A job would get its best ranks, or what is free; of equals the first in the queue starts first."""
    started = memory.integers[0]
    free, count = now.free_ranks, 0
    while free > 0 and count < now.waiting:
        least_s, shortest = inf, -1
        job = now.first
        while job >= 0:
            time_s = expected_s(jobs, options, job, min(jobs.best_ranks[job], free))
            if not started[job] and time_s < least_s:
                least_s, shortest = time_s, job
            job = jobs.next[job]
        started[shortest] = 1
        choice.job[count], choice.ranks[count] = shortest, min(jobs.best_ranks[shortest], free)
        free -= choice.ranks[count]
        count += 1
    return count
