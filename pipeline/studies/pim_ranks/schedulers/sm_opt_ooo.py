"""SM-Opt (OoO): best ranks each, the first of the queue that fits (paper, Section 4.1)."""

from pipeline.simulation.easy import leaf
from pipeline.studies.pim_ranks.rules import start

NEEDS = ("best_ranks", "ooo_window")
OVERHEAD = 0.06
COMPLEXITY = 3


@start
def rule(now, machine, jobs, options, memory, choice):
    """The first of the first `ooo_window` waiting jobs whose best ranks are free, again and again."""
    if options.ooo_window < len(jobs.arrival_s):
        return _first_fit_in_window(now, jobs, options, choice)
    return _first_fit_of_all(now, machine, jobs, memory, choice)


@leaf
def _first_fit_in_window(now, jobs, options, choice):
    """Who starts makes room for the next; who does not fit fits no better once fewer ranks are free."""
    free, count, passed_over, job = now.free_ranks, 0, 0, now.first
    while job >= 0 and free > 0 and passed_over < options.ooo_window:
        ranks = jobs.best_ranks[job]
        if ranks <= free:
            choice.job[count], choice.ranks[count] = job, ranks
            free -= ranks
            count += 1
        else:
            passed_over += 1
        job = jobs.next[job]
    return count


@leaf
def _first_fit_of_all(now, machine, jobs, memory, choice):
    """One queue for each number of ranks: of the heads that fit, the earliest is the first."""
    seen, first_of, last_of, next_of = memory.integers[0], memory.integers[1], memory.integers[2], memory.integers[3]
    best_ranks, chosen_job, chosen_ranks = jobs.best_ranks, choice.job, choice.ranks
    if seen[0] == 0:
        first_of[: machine.ranks + 1] = -1
    for job in range(seen[0], now.arrived):
        ranks = best_ranks[job]
        next_of[job] = -1
        if first_of[ranks] < 0:
            first_of[ranks] = job
        else:
            next_of[last_of[ranks]] = job
        last_of[ranks] = job
    seen[0] = now.arrived
    free, count = now.free_ranks, 0
    while free > 0:
        chosen = -1
        for ranks in range(1, free + 1):
            job = first_of[ranks]
            if job >= 0 and (chosen < 0 or job < chosen):
                chosen = job
        if chosen < 0:
            break
        ranks = best_ranks[chosen]
        first_of[ranks] = next_of[chosen]
        chosen_job[count], chosen_ranks[count] = chosen, ranks
        free -= ranks
        count += 1
    return count
