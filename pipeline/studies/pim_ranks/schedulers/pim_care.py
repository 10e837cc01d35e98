"""PIM-CARE: carried priorities over a window, leftover ranks are granted (paper, Section 3.3, Algorithm 2)."""

from pipeline.studies.pim_ranks.rules import start
from pipeline.studies.pim_ranks.schedulers._window import keep, prioritise, refill, window_of

NEEDS = ("best_ranks", "window", "perf_at")
OVERHEAD = 0.06
COMPLEXITY = 4


@start
def rule(now, machine, jobs, options, memory, choice):
    """Algorithm 2: cycles over a window until no ranks or no requests are left; any leftover is granted."""
    window = window_of(memory)
    free, count = now.free_ranks, 0
    while free > 0:
        held = refill(window, now, options)
        if held == 0:
            break
        prioritise(window, held, free, jobs, options)
        stay = 0
        for i in range(held):
            j = window.sorted_job[i]
            ranks = min(jobs.best_ranks[j], free)
            if ranks > 0:
                choice.job[count], choice.ranks[count] = j, ranks
                free -= ranks
                count += 1
            else:
                keep(window, stay, i)
                stay += 1
        window.seen[1] = stay
    return count
