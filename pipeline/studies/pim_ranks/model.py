"""What the machine does: ranks that are held by one application each, from its start to its end.

A job on r ranks takes `time_s[row, r - 1] * (1 + overhead)`. At one instant: all frees, then arrivals, then the rule.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from pipeline.studies.pim_ranks.rules import Choice, Jobs, Machine, Memory, Now, Options

INSTANT = 1e-12
"""Events closer than this (relative to the time since the first arrival) are one instant, at the time of the last."""
MEASURES = ("throughput_per_s", "att_s", "makespan_s", "rank_utilisation", "overhead_share")
"""Measures of a replay, in the order of the columns that the kernels write."""
FINE, TOO_MANY, NOT_WAITING, NOT_FREE, STUCK = 0, 1, 2, 3, 4
"""What is wrong with a rule's choice: nothing; more jobs than free ranks; a job that does not wait; ranks that are not
free; or that it starts nothing although nothing runs and nothing more will arrive.
"""


class Queues(NamedTuple):
    """Jobs of all workloads, by arrival, then job id: first_job of each workload, release_s and app of each job."""

    first_job: np.ndarray
    release_s: np.ndarray
    app: np.ndarray


class Tables(NamedTuple):
    """Times of (table, app) rows on 1, 2, … ranks (s), with best_ranks (0 = not given) and the least time of the table.

    row_of: row of a table and an app, -1 = none; complete: ranks 1..complete are all there.
    """

    row_of: np.ndarray
    time_s: np.ndarray
    best: np.ndarray
    least_s: np.ndarray
    complete: np.ndarray


class Scenarios(NamedTuple):
    """One place a scenario. first_out: its first row in the results of the jobs; use_best: whether rules see best."""

    ranks: np.ndarray
    workload: np.ndarray
    table: np.ndarray
    first_out: np.ndarray
    use_best: np.ndarray
    seed: np.ndarray
    overhead: np.ndarray
    window: np.ndarray
    ooo_window: np.ndarray
    perf_at_available: np.ndarray


class Results(NamedTuple):
    """Of each job start, freed (its last rank) and end (s since the workload's first arrival; NaN = not run), ranks.

    Of each scenario a row of MEASURES, a lower bound of the makespan (s), and the time of its profile runs (s).
    """

    start_s: np.ndarray
    freed_s: np.ndarray
    end_s: np.ndarray
    ranks: np.ndarray
    measures: np.ndarray
    bound_s: np.ndarray
    profiling_s: np.ndarray


class Events(NamedTuple):
    """A heap by time: when which job gives back how many ranks."""

    time_s: np.ndarray
    job: np.ndarray
    ranks: np.ndarray


@njit(cache=True)
def events(room):
    """An empty heap."""
    return Events(np.empty(room), np.empty(room, np.int64), np.empty(room, np.int64))


@njit(cache=True)
def push(heap, size, time_s, job, ranks):
    """Add an event to a heap of `size`."""
    if size == len(heap.time_s):
        raise IndexError("the heap has no room for another event")
    k = size
    while k > 0 and heap.time_s[(k - 1) // 2] > time_s:
        up = (k - 1) // 2
        heap.time_s[k], heap.job[k], heap.ranks[k] = heap.time_s[up], heap.job[up], heap.ranks[up]
        k = up
    heap.time_s[k], heap.job[k], heap.ranks[k] = time_s, job, ranks


@njit(cache=True)
def pop(heap, size):
    """Remove the earliest event from a heap of `size`."""
    size -= 1
    time_s, job, ranks = heap.time_s[size], heap.job[size], heap.ranks[size]
    k = 0
    while True:
        child = 2 * k + 1
        if child >= size:
            break
        if child + 1 < size and heap.time_s[child + 1] < heap.time_s[child]:
            child += 1
        if heap.time_s[child] >= time_s:
            break
        heap.time_s[k], heap.job[k], heap.ranks[k] = heap.time_s[child], heap.job[child], heap.ranks[child]
        k = child
    heap.time_s[k], heap.job[k], heap.ranks[k] = time_s, job, ranks


@njit(cache=True)
def largest(numbers, scenarios, queues):
    """Most jobs and most ranks of the scenarios of these numbers, 1 at least."""
    jobs, ranks = 1, 1
    for s in numbers:
        w = scenarios.workload[s]
        jobs = max(jobs, queues.first_job[w + 1] - queues.first_job[w])
        ranks = max(ranks, scenarios.ranks[s])
    return jobs, ranks


@njit(cache=True)
def first_gap(numbers, scenarios, queues, tables):
    """First (scenario, job) whose application lacks times for 1..R ranks or best_ranks; (-1, -1) where none does."""
    for s in numbers:
        w = scenarios.workload[s]
        for j in range(queues.first_job[w], queues.first_job[w + 1]):
            row = tables.row_of[scenarios.table[s], queues.app[j]]
            if (
                row < 0
                or tables.complete[row] < scenarios.ranks[s]
                or (scenarios.use_best[s] and tables.best[row] == 0)
            ):
                return s, j
    return -1, -1


@njit(cache=True)
def measure(release_s, end_s, held_rank_s, added_share, ranks, measures):
    """Measures of one replay to a row of `measures`; times since the first arrival, jobs that did not run are NaN."""
    jobs, total, last = 0, 0.0, 0.0
    for j in range(len(end_s)):
        if not np.isnan(end_s[j]):
            jobs += 1
            total += end_s[j] - release_s[j]
            last = max(last, end_s[j])
    if jobs == 0:
        measures[:] = np.nan
        return
    measures[0] = jobs / last if last > 0 else np.nan
    measures[1] = total / jobs
    measures[2] = last
    measures[3] = held_rank_s / (ranks * last) if last > 0 else np.nan
    measures[4] = added_share


def memory_for(numbers, scenarios, queues):
    """Zeros for the memory of a rule in the largest of the scenarios of these numbers."""
    most_jobs, most_ranks = largest(numbers, scenarios, queues)
    room = 8 * max(most_jobs, most_ranks + 1, 8)
    return np.zeros(room, np.int64), np.zeros(room)


@njit(cache=True)
def run(rule, numbers, scenarios, queues, tables, seen, results, integers, floats):
    """Replay the scenarios of these numbers by a rule of `rules.start`; tables: true times; seen: expected ones.

    integers, floats: zeros for the memory of the rule, see `memory_for`; pages that it leaves alone cost nothing.
    Writes start, end, ranks and measures. Ends at the first wrong choice and returns its scenario, what is wrong (see
    FINE), the instant (s), the job and the ranks that were chosen, and the free ranks.
    """
    most_jobs, most_ranks = largest(numbers, scenarios, queues)
    row, app, best = np.empty(most_jobs, np.int64), np.empty(most_jobs, np.int64), np.empty(most_jobs, np.int64)
    next_waiting, before = np.empty(most_jobs, np.int64), np.empty(most_jobs, np.int64)
    expected_end_s = np.empty(most_jobs)
    heap = events(most_ranks + 1)
    choice = Choice(np.empty(most_jobs + most_ranks, np.int64), np.empty(most_jobs + most_ranks, np.int64))

    for s in numbers:
        first, last = queues.first_job[scenarios.workload[s]], queues.first_job[scenarios.workload[s] + 1]
        count, R, stretch = last - first, scenarios.ranks[s], 1.0 + scenarios.overhead[s]
        out = scenarios.first_out[s]
        start_s, end_s = results.start_s[out : out + count], results.end_s[out : out + count]
        release_s = queues.release_s[first:last]
        for j in range(count):
            row[j] = tables.row_of[scenarios.table[s], queues.app[first + j]]
            app[j] = seen.row_of[scenarios.table[s], queues.app[first + j]]
            best[j] = min(tables.best[row[j]], R) if scenarios.use_best[s] else 0
        machine = Machine(R, heap.job, heap.ranks, expected_end_s)
        jobs = Jobs(next_waiting, release_s, best, app, seen.time_s, seen.least_s)
        options = Options(
            scenarios.seed[s], scenarios.overhead[s], scenarios.window[s], scenarios.ooo_window[s],
            scenarios.perf_at_available[s],
        )  # fmt: skip
        width = max(count, R + 1, 8)
        if s != numbers[0]:
            integers[: 8 * width] = 0
            floats[: 8 * width] = 0.0
        memory = Memory(integers[: 8 * width].reshape(8, width), floats[: 8 * width].reshape(8, width))
        free, running, arrived, waiting, head, tail = R, 0, 0, 0, -1, -1
        held_rank_s = 0.0
        while running > 0 or arrived < count:
            now = np.inf
            if running > 0:
                now = heap.time_s[0]
            if arrived < count:
                now = min(now, release_s[arrived])
            limit = now * (1.0 + INSTANT)
            while running > 0 and heap.time_s[0] <= limit:
                now = max(now, heap.time_s[0])
                free += heap.ranks[0]
                pop(heap, running)
                running -= 1
            while arrived < count and release_s[arrived] <= limit:
                now = max(now, release_s[arrived])
                next_waiting[arrived], before[arrived] = -1, tail
                if tail >= 0:
                    next_waiting[tail] = arrived
                else:
                    head = arrived
                tail = arrived
                waiting += 1
                arrived += 1
            if free == 0 or waiting == 0:
                continue

            instant = Now(now, free, running, waiting, arrived, head)
            chosen = rule(instant, machine, jobs, options, memory, choice)
            if chosen < 0 or chosen > free:
                return s, TOO_MANY, now, chosen, 0, free
            for i in range(chosen):
                j, ranks = choice.job[i], choice.ranks[i]
                if j < 0 or j >= arrived or not np.isnan(start_s[j]):
                    return s, NOT_WAITING, now, j, ranks, free
                if ranks < 1 or ranks > free:
                    return s, NOT_FREE, now, j, ranks, free
                length = tables.time_s[row[j], ranks - 1] * stretch
                start_s[j] = now
                end_s[j] = now + length
                results.ranks[out + j] = ranks
                held_rank_s += ranks * length
                expected_end_s[j] = now + seen.time_s[app[j], ranks - 1] * stretch
                push(heap, running, now + length, j, ranks)
                running += 1
                free -= ranks
                waiting -= 1
                if before[j] >= 0:
                    next_waiting[before[j]] = next_waiting[j]
                else:
                    head = next_waiting[j]
                if next_waiting[j] >= 0:
                    before[next_waiting[j]] = before[j]
                else:
                    tail = before[j]
            if running == 0 and arrived == count:
                return s, STUCK, now, head, 0, free
        measure(release_s, end_s, held_rank_s, scenarios.overhead[s], R, results.measures[s])
    return -1, FINE, 0.0, 0, 0, 0


@njit(cache=True)
def makespan_lower_bounds(numbers, scenarios, queues, tables, results):
    """No schedule of rigid jobs ends earlier, whatever ranks it grants and without any overhead (s).

    The larger of the critical path, release + least time of a job on 1..R ranks, and the area: from any release on, the
    least rank-seconds of the jobs released then or later, divided by R. Writes one number per scenario.
    """
    bound_s = results.bound_s
    for s in numbers:
        R = scenarios.ranks[s]
        first, last = queues.first_job[scenarios.workload[s]], queues.first_job[scenarios.workload[s] + 1]
        area = 0.0
        bound_s[s] = np.nan if first == last else 0.0
        for j in range(last - 1, first - 1, -1):
            row = tables.row_of[scenarios.table[s], queues.app[j]]
            least_time, least_area = np.inf, np.inf
            for k in range(R):
                least_time = min(least_time, tables.time_s[row, k])
                least_area = min(least_area, (k + 1) * tables.time_s[row, k])
            area += least_area
            bound_s[s] = max(bound_s[s], queues.release_s[j] + max(least_time, area / R))
