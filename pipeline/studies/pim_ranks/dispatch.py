"""Which waiting jobs start now, and on how many ranks: the rules of the schedulers that hold ranks from start to end.

Each rule looks at the free ranks and writes its choices to `job` and `grant`, in the order in which they start; it
returns how many there are. Jobs are numbers in queue order (arrival, then job id); `need` is best_ranks clamped to the
machine, or all its ranks. `queue` holds what a rule remembers: the first job it has not seen yet, and how many it has
seen and keeps.
"""

from __future__ import annotations

from numba import njit

TIE = 1e-12
"""Priorities closer than this are a tie: rounding must not order what exact arithmetic leaves in order."""


@njit(cache=True)
def in_order(queue, arrived, free, most, need, job, grant):
    """Heads of the queue while they fit, `most` at once."""
    count = 0
    head = queue[0]
    while head < arrived and count < most and need[head] <= free:
        job[count] = head
        grant[count] = need[head]
        free -= need[head]
        count += 1
        head += 1
    queue[0] = head
    return count


@njit(cache=True)
def first_fit(queue, arrived, free, need, first_of_size, last_of_size, next_of_size, job, grant):
    """The first of the whole queue that fits, again and again.

    A queue a size, linked in arrival order: the first that fits is the earliest of the heads of the sizes that fit.
    first_of_size, last_of_size: one a size 1..R, -1 = none; next_of_size: one a job.
    """
    for j in range(queue[0], arrived):
        size = need[j]
        next_of_size[j] = -1
        if first_of_size[size] < 0:
            first_of_size[size] = j
        else:
            next_of_size[last_of_size[size]] = j
        last_of_size[size] = j
    queue[0] = arrived
    count = 0
    while free > 0:
        chosen = -1
        for size in range(1, free + 1):
            j = first_of_size[size]
            if j >= 0 and (chosen < 0 or j < chosen):
                chosen = j
        if chosen < 0:
            break
        size = need[chosen]
        first_of_size[size] = next_of_size[chosen]
        job[count] = chosen
        grant[count] = size
        free -= size
        count += 1
    return count


@njit(cache=True)
def first_fit_in_window(queue, arrived, free, window, need, kept, job, grant):
    """The first of the first `window` waiting jobs that fits, again and again; who starts makes room for the next.

    kept: the window, in arrival order. What did not fit fits no better once fewer ranks are free, so one walk does.
    """
    count, seen, stay = 0, 0, 0
    while stay < window:
        if seen < queue[1]:
            j = kept[seen]
            seen += 1
        elif queue[0] < arrived:
            j = queue[0]
            queue[0] += 1
        else:
            break
        if need[j] <= free:
            job[count] = j
            grant[count] = need[j]
            free -= need[j]
            count += 1
        else:
            kept[stay] = j
            stay += 1
    queue[1] = stay
    return count


@njit(cache=True)
def refill(queue, arrived, window, kept, priority):
    """Newcomers enter the window in arrival order, with priority 0, behind those that were carried."""
    held, head = queue[1], queue[0]
    while held < window and head < arrived:
        kept[held] = head
        priority[held] = 0.0
        held += 1
        head += 1
    queue[0], queue[1] = head, held


@njit(cache=True)
def prioritise(held, free, at_available, need, row, time_s, fastest_s, kept, priority, sorted_job, sorted_priority):
    """Both scans of Algorithm 2 (lines 1 to 19): the window by priority, descending, to `sorted_job`.

    Scan 1: who gets its best ranks out of what is left gains 1. Scan 2: the others gain their relative speed on the
    ranks that scan 1 left over (on all free ranks where `at_available`), if it left any.
    """
    leftover = free
    count = 0
    for i in range(held):
        j = kept[i]
        if need[j] <= leftover:
            leftover -= need[j]
            sorted_job[count] = j
            sorted_priority[count] = priority[i] + 1.0
            count += 1
            kept[i] = -1
    seen_at = free if at_available else leftover
    for i in range(held):
        j = kept[i]
        if j >= 0:
            sorted_job[count] = j
            sorted_priority[count] = priority[i]
            if leftover > 0:
                sorted_priority[count] += fastest_s[row[j]] / time_s[row[j], seen_at - 1]
            count += 1
    for i in range(1, held):
        j, p = sorted_job[i], sorted_priority[i]
        k = i
        while k > 0 and sorted_priority[k - 1] < p - TIE:
            sorted_job[k], sorted_priority[k] = sorted_job[k - 1], sorted_priority[k - 1]
            k -= 1
        sorted_job[k], sorted_priority[k] = j, p


@njit(cache=True)
def priorities(queue, arrived, free, window, at_available, need, row, time_s, fastest_s, kept, priority, sorted_job,
               sorted_priority, job, grant):  # fmt: skip
    """Algorithm 2: cycles over a window until no ranks or no requests are left.

    kept, priority: the window as the last cycle left it; sorted_job, sorted_priority: room for one.
    """
    total = 0
    while free > 0:
        refill(queue, arrived, window, kept, priority)
        held = queue[1]
        if held == 0:
            break
        prioritise(held, free, at_available, need, row, time_s, fastest_s, kept, priority, sorted_job, sorted_priority)
        stay = 0
        for i in range(held):
            j = sorted_job[i]
            ranks = min(need[j], free)
            if ranks > 0:
                job[total] = j
                grant[total] = ranks
                free -= ranks
                total += 1
            else:
                kept[stay] = j
                priority[stay] = sorted_priority[i]
                stay += 1
        queue[1] = stay
    return total
