"""PIM-CARE whose leftover grants must be worth it: waiting for ranks that running jobs give back would not end earlier.

Ours; the rule stands in docs/models/pim_ranks.md.
"""

from typing import NamedTuple

from numba import njit

from pipeline.simulation.rules import Floats, Integers
from pipeline.studies.pim_ranks.rules import expected_s, start
from pipeline.studies.pim_ranks.schedulers._window import TIE, keep, prioritise, refill, window_of

NEEDS = ("best_ranks", "window", "perf_at")
OVERHEAD = 0.06
COMPLEXITY = 5


@start
def rule(now, machine, jobs, options, memory, choice):
    """As PIM-CARE; a request that would get fewer than its best ranks may be passed over (ours, care_floor).

    It is granted them where it would end before the machine has worked off all that runs and waits, or where no later
    start, as running jobs end, would let it end earlier. Cycles repeat as long as they start a job.
    """
    window, ahead, waiting_rank_s = window_of(memory), Ahead(memory.numbers[2], memory.integers[3]), memory.numbers[3]
    for j in range(window.seen[2], now.arrived):
        waiting_rank_s[0] += _best_rank_s(jobs, options, j)
    window.seen[2] = now.arrived
    running_rank_s, size = 0.0, now.running
    for i in range(size):
        # A job that runs past the end that was expected of it may end at any instant.
        end_s = max(machine.expected_end_s[machine.job[i]], now.time_s)
        _insert(ahead, i, end_s, machine.held_ranks[i])
        running_rank_s += (end_s - now.time_s) * machine.held_ranks[i]
    free, count, before = now.free_ranks, 0, -1
    while free > 0 and count > before:
        before = count
        held = refill(window, now, options)
        if held == 0:
            break
        prioritise(window, held, free, jobs, options)
        worked_off_s = now.time_s + (running_rank_s + waiting_rank_s[0]) / machine.ranks
        stay = 0
        for i in range(held):
            j = window.sorted_job[i]
            ranks = min(jobs.best_ranks[j], free)
            end_s = now.time_s
            starts = ranks > 0
            if starts:
                end_s = now.time_s + expected_s(jobs, options, j, ranks)
                if ranks < jobs.best_ranks[j] and end_s > worked_off_s * (1.0 + TIE):
                    starts = not _waiting_ends_earlier(j, free, end_s, ahead, size, jobs, options)
            if starts:
                choice.job[count], choice.ranks[count] = j, ranks
                free -= ranks
                count += 1
                _insert(ahead, size, end_s, ranks)
                size += 1
                running_rank_s += (end_s - now.time_s) * ranks
                waiting_rank_s[0] -= _best_rank_s(jobs, options, j)
            else:
                keep(window, stay, i)
                stay += 1
        window.seen[1] = stay
    return count


class Ahead(NamedTuple):
    """Expected ends of running jobs, in increasing order, and the ranks that each gives back."""

    end_s: Floats
    ranks: Integers


@njit(cache=True)
def _insert(ahead, size, end_s, ranks):
    k = size
    while k > 0 and ahead.end_s[k - 1] > end_s:
        ahead.end_s[k], ahead.ranks[k] = ahead.end_s[k - 1], ahead.ranks[k - 1]
        k -= 1
    ahead.end_s[k], ahead.ranks[k] = end_s, ranks


@njit(cache=True)
def _waiting_ends_earlier(j, free, end_s, ahead, size, jobs, options):
    """Whether job j, started when some running job ends, on what is free then, ends before `end_s`."""
    for k in range(size):
        if ahead.end_s[k] >= end_s:
            return False
        free += ahead.ranks[k]
        if ahead.end_s[k] + expected_s(jobs, options, j, min(jobs.best_ranks[j], free)) < end_s * (1.0 - TIE):
            return True
    return False


@njit(cache=True)
def _best_rank_s(jobs, options, j):
    """Rank-seconds of a job on its best ranks."""
    ranks = jobs.best_ranks[j]
    return ranks * jobs.time_s[jobs.app[j], ranks - 1] * (1.0 + options.overhead)
