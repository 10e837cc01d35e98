"""What the machine does: ranks that are held by one application each, from its start to its end.

A job on r ranks takes `time_s[row, r - 1] * (1 + overhead)`. At one instant: all frees, then arrivals, then dispatch.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from pipeline.studies.pim_ranks.dispatch import first_fit, first_fit_in_window, in_order, priorities
from pipeline.studies.pim_ranks.floor import priorities_worth_it

INSTANT = 1e-12
"""Events closer than this (relative to the time since the first arrival) are one instant, at the time of the last."""

ALONE, IN_ORDER, FIRST_FIT, PRIORITIES = 0, 1, 2, 3
DISPATCH = {"alone": ALONE, "in_order": IN_ORDER, "first_fit": FIRST_FIT, "priorities": PRIORITIES}
MACHINE, BEST, LEFTOVER, WORTH_IT = 0, 1, 2, 3
GRANT = {"machine": MACHINE, "best": BEST, "leftover": LEFTOVER, "worth_it": WORTH_IT}
MEASURES = ("throughput_per_s", "att_s", "makespan_s", "rank_utilisation", "overhead_share")
"""Measures of a replay, in the order of the columns that the kernels write."""


@njit(cache=True)
def push(end_heap, rank_heap, expected_heap, size, end, ranks, expected):
    """Add a running job to the heap of ends, with its ranks and the end that schedulers expect."""
    k = size
    while k > 0 and end_heap[(k - 1) // 2] > end:
        parent = (k - 1) // 2
        end_heap[k], rank_heap[k], expected_heap[k] = end_heap[parent], rank_heap[parent], expected_heap[parent]
        k = parent
    end_heap[k], rank_heap[k], expected_heap[k] = end, ranks, expected


@njit(cache=True)
def pop(end_heap, rank_heap, expected_heap, size):
    """Remove the earliest end from the heap."""
    end, ranks, expected = end_heap[size - 1], rank_heap[size - 1], expected_heap[size - 1]
    size -= 1
    k = 0
    while True:
        child = 2 * k + 1
        if child >= size:
            break
        if child + 1 < size and end_heap[child + 1] < end_heap[child]:
            child += 1
        if end_heap[child] >= end:
            break
        end_heap[k], rank_heap[k], expected_heap[k] = end_heap[child], rank_heap[child], expected_heap[child]
        k = child
    end_heap[k], rank_heap[k], expected_heap[k] = end, ranks, expected


@njit(cache=True)
def measure(release, end, held_rank_s, added_share, ranks, measures):
    """Measures of one replay to a row of `measures`; times since the first arrival, jobs that did not run are NaN."""
    jobs, total, last = 0, 0.0, 0.0
    for j in range(len(end)):
        if not np.isnan(end[j]):
            jobs += 1
            total += end[j] - release[j]
            last = max(last, end[j])
    if jobs == 0:
        measures[:] = np.nan
        return
    measures[0] = jobs / last if last > 0 else np.nan
    measures[1] = total / jobs
    measures[2] = last
    measures[3] = held_rank_s / (ranks * last) if last > 0 else np.nan
    measures[4] = added_share


@njit(cache=True)
def run(scenario, dispatch, grants, machine_ranks, window, at_available, overhead, first_out, workload, table,
        first_job, release, app, row_of, time_s, best, seen_row_of, seen_s, fastest_s, start, end, ranks,
        measures):  # fmt: skip
    """Replay the scenarios of the numbers in `scenario`.

    One a scenario: dispatch, grants (codes), machine_ranks, window, at_available, overhead, first_out (its first row in
    start, end and ranks), workload, table. One a workload: first_job; one a job: release (s since the workload's first
    arrival), app; row_of: row of (table, app) in time_s (s, one column a rank count) and best; seen_row_of: the same in
    seen_s, the times by which schedulers decide, and fastest_s, the least of each of its rows.
    Writes start, end (s since the first arrival), ranks, and a row of `measures` a scenario.
    """
    most = 1
    for s in scenario:
        most = max(most, first_job[workload[s] + 1] - first_job[workload[s]])
    most_ranks = 1
    for s in scenario:
        most_ranks = max(most_ranks, machine_ranks[s])
    need, row, seen = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
    job, grant = np.empty(most_ranks, np.int64), np.empty(most_ranks, np.int64)
    kept, sorted_job = np.empty(most, np.int64), np.empty(most, np.int64)
    priority, sorted_priority = np.empty(most), np.empty(most)
    next_of_size = np.empty(most, np.int64)
    first_of_size, last_of_size = np.empty(most_ranks + 1, np.int64), np.empty(most_ranks + 1, np.int64)
    end_heap, rank_heap = np.empty(most_ranks + 1), np.empty(most_ranks + 1, np.int64)
    expected_heap = np.empty(most_ranks + 1)
    ahead_end, ahead_ranks = np.empty(most_ranks + 1), np.empty(most_ranks + 1, np.int64)
    queue, waiting_rank_s = np.empty(3, np.int64), np.empty(1)

    for s in scenario:
        first = first_job[workload[s]]
        jobs = first_job[workload[s] + 1] - first
        out = first_out[s]
        R, how, stretch = machine_ranks[s], dispatch[s], 1.0 + overhead[s]
        looked_at = min(window[s], jobs)
        for j in range(jobs):
            row[j] = row_of[table[s], app[first + j]]
            seen[j] = seen_row_of[table[s], app[first + j]]
            need[j] = R if grants[s] == MACHINE else min(best[row[j]], R)
        first_of_size[:] = -1
        queue[:] = 0
        waiting_rank_s[0] = 0.0
        free, running, arrived = R, 0, 0
        held_rank_s = 0.0
        while running > 0 or arrived < jobs:
            now = np.inf
            if running > 0:
                now = end_heap[0]
            if arrived < jobs:
                now = min(now, release[first + arrived])
            limit = now * (1.0 + INSTANT)
            while running > 0 and end_heap[0] <= limit:
                now = max(now, end_heap[0])
                free += rank_heap[0]
                pop(end_heap, rank_heap, expected_heap, running)
                running -= 1
            while arrived < jobs and release[first + arrived] <= limit:
                now = max(now, release[first + arrived])
                arrived += 1
            if free == 0:
                continue

            if how == ALONE:
                count = in_order(queue, arrived, free, 1 if running == 0 else 0, need, job, grant)
            elif how == IN_ORDER:
                count = in_order(queue, arrived, free, jobs, need, job, grant)
            elif how == FIRST_FIT and looked_at == jobs:
                count = first_fit(
                    queue, arrived, free, need, first_of_size, last_of_size, next_of_size, job, grant
                )  # fmt: skip
            elif how == FIRST_FIT:
                count = first_fit_in_window(queue, arrived, free, looked_at, need, kept, job, grant)
            elif grants[s] == LEFTOVER:
                count = priorities(
                    queue, arrived, free, looked_at, at_available[s], need, seen, seen_s, fastest_s, kept, priority,
                    sorted_job, sorted_priority, job, grant,
                )  # fmt: skip
            else:
                count = priorities_worth_it(
                    queue, arrived, free, looked_at, at_available[s], need, seen, seen_s, fastest_s, kept, priority,
                    sorted_job, sorted_priority, job, grant, now, stretch, R, expected_heap, rank_heap, running,
                    ahead_end, ahead_ranks, waiting_rank_s,
                )  # fmt: skip
            for i in range(count):
                j = job[i]
                length = time_s[row[j], grant[i] - 1] * stretch
                start[out + j] = now
                end[out + j] = now + length
                ranks[out + j] = grant[i]
                held_rank_s += grant[i] * length
                expected = now + seen_s[seen[j], grant[i] - 1] * stretch
                push(end_heap, rank_heap, expected_heap, running, now + length, grant[i], expected)
                running += 1
                free -= grant[i]
        measure(
            release[first : first + jobs], end[out : out + jobs], held_rank_s, overhead[s], R,
            measures[s],
        )  # fmt: skip


@njit(cache=True)
def makespan_lower_bounds(scenario, machine_ranks, workload, table, first_job, release, app, row_of, time_s, bound):
    """No schedule of rigid jobs ends earlier, whatever ranks it grants and without any overhead (s).

    The larger of the critical path, release + least time of a job on 1..R ranks, and the area: from any release on, the
    least rank-seconds of the jobs released then or later, divided by R. Writes one number a scenario.
    """
    for s in scenario:
        R = machine_ranks[s]
        first, last = first_job[workload[s]], first_job[workload[s] + 1]
        area = 0.0
        bound[s] = np.nan if first == last else 0.0
        for j in range(last - 1, first - 1, -1):
            r = row_of[table[s], app[j]]
            least_time, least_area = np.inf, np.inf
            for k in range(R):
                least_time = min(least_time, time_s[r, k])
                least_area = min(least_area, (k + 1) * time_s[r, k])
            area += least_area
            bound[s] = max(bound[s], release[j] + max(least_time, area / R))
