"""care_floor: Algorithm 2, but a grant below best_ranks must be worth it (ours; docs/models/pim_ranks.md)."""

from __future__ import annotations

from numba import njit

from pipeline.studies.pim_ranks.dispatch import TIE, prioritise, refill


@njit(cache=True)
def _insert(ahead_end, ahead_ranks, size, end, ranks):
    """Add to the ends of running jobs, in increasing order."""
    k = size
    while k > 0 and ahead_end[k - 1] > end:
        ahead_end[k], ahead_ranks[k] = ahead_end[k - 1], ahead_ranks[k - 1]
        k -= 1
    ahead_end[k], ahead_ranks[k] = end, ranks


@njit(cache=True)
def _waiting_ends_earlier(free, need, time_s, stretch, ends, ahead_end, ahead_ranks, size):
    """Whether a job that starts when some running job ends, on what is free then, ends before `ends`."""
    for k in range(size):
        if ahead_end[k] >= ends:
            return False
        free += ahead_ranks[k]
        if ahead_end[k] + time_s[min(need, free) - 1] * stretch < ends * (1.0 - TIE):
            return True
    return False


@njit(cache=True)
def priorities_worth_it(queue, arrived, free, window, at_available, need, row, time_s, fastest_s, kept, priority,
                        sorted_job, sorted_priority, job, grant, now, stretch, R, end_heap, rank_heap, running,
                        ahead_end, ahead_ranks, waiting_rank_s):  # fmt: skip
    """As `dispatch.priorities`; a request that would get fewer than its best ranks may be passed over.

    It is granted them where it would end before the machine has worked off all that runs and waits, or where no later
    start, as running jobs end, would let it end earlier. Cycles repeat as long as they start a job.
    end_heap: ends that are expected of running jobs, not in order. queue[2]: jobs counted in waiting_rank_s[0], the
    rank-seconds on best_ranks of the jobs that wait (rank-s).
    """
    for j in range(queue[2], arrived):
        waiting_rank_s[0] += need[j] * time_s[row[j], need[j] - 1] * stretch
    queue[2] = arrived
    running_rank_s = 0.0
    for i in range(running):
        # A job that runs past the end that was expected of it may end at any instant.
        end = max(end_heap[i], now)
        _insert(ahead_end, ahead_ranks, i, end, rank_heap[i])
        running_rank_s += (end - now) * rank_heap[i]
    size = running
    total, before = 0, -1
    while free > 0 and total > before:
        before = total
        refill(queue, arrived, window, kept, priority)
        held = queue[1]
        if held == 0:
            break
        prioritise(held, free, at_available, need, row, time_s, fastest_s, kept, priority, sorted_job, sorted_priority)
        worked_off = now + (running_rank_s + waiting_rank_s[0]) / R
        stay = 0
        for i in range(held):
            j = sorted_job[i]
            ranks = min(need[j], free)
            ends = now
            starts = ranks > 0
            if starts:
                ends = now + time_s[row[j], ranks - 1] * stretch
                if ranks < need[j] and ends > worked_off * (1.0 + TIE):
                    starts = not _waiting_ends_earlier(
                        free, need[j], time_s[row[j]], stretch, ends, ahead_end, ahead_ranks, size
                    )
            if starts:
                job[total] = j
                grant[total] = ranks
                free -= ranks
                total += 1
                _insert(ahead_end, ahead_ranks, size, ends, ranks)
                size += 1
                running_rank_s += (ends - now) * ranks
                waiting_rank_s[0] -= need[j] * time_s[row[j], need[j] - 1] * stretch
            else:
                kept[stay] = j
                priority[stay] = sorted_priority[i]
                stay += 1
        queue[1] = stay
    return total
