"""The machine under VirtualPIM: programs of host work, gangs of ranks and units of one rank, first come, first served.

The host has room for everybody.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from pipeline.studies.pim_ranks.model import INSTANT, events, largest, measure, pop, push
from pipeline.studies.pim_ranks.rules import GANG, HOST


class Programs(NamedTuple):
    """Segments of all programs. row_of: program of an app of a set of programs, -1 = none.

    One a program: first_segment, ranks (the most of a segment), rank_s (rank-time without overhead). One a segment:
    kind, ranks or units, seconds with the overhead.
    """

    row_of: np.ndarray
    first_segment: np.ndarray
    ranks: np.ndarray
    rank_s: np.ndarray
    kind: np.ndarray
    count: np.ndarray
    seconds: np.ndarray


@njit(cache=True)
def run(numbers, scenarios, program_set, queues, programs, results):
    """Replay the scenarios of these numbers; program_set: one per scenario.

    A job whose gang is larger than the machine does not run (NaN, 0 ranks). Writes start (first rank held), freed (last
    rank given back), end, ranks and measures.
    """
    most, most_ranks = largest(numbers, scenarios, queues)
    segment, last_segment = np.empty(most, np.int64), np.empty(most, np.int64)
    waiting_units, running_units = np.empty(most, np.int64), np.empty(most, np.int64)
    queue, newcomer = np.empty(most, np.int64), np.empty(most, np.int64)
    heap = events(most + most_ranks + 1)
    kind, count, seconds = programs.kind, programs.count, programs.seconds

    for s in numbers:
        first, last = queues.first_job[scenarios.workload[s]], queues.first_job[scenarios.workload[s] + 1]
        jobs, out, R = last - first, scenarios.first_out[s], scenarios.ranks[s]
        start, freed, end = (
            results.start_s[out : out + jobs],
            results.freed_s[out : out + jobs],
            results.end_s[out : out + jobs],
        )
        ranks, release = results.ranks[out : out + jobs], queues.release_s[first:last]
        bare = 0.0
        for j in range(jobs):
            program = programs.row_of[program_set[s], queues.app[first + j]]
            segment[j], last_segment[j] = programs.first_segment[program] - 1, programs.first_segment[program + 1]
            ranks[j] = programs.ranks[program]
            for k in range(programs.first_segment[program], programs.first_segment[program + 1]):
                if kind[k] == GANG and count[k] > R:
                    ranks[j] = 0
            if ranks[j] > 0:
                bare += programs.rank_s[program]
        running_units[:] = 0
        free, pending, arrived, head, tail = R, 0, 0, 0, 0
        held_rank_s = 0.0
        while pending > 0 or arrived < jobs:
            now = np.inf
            if pending > 0:
                now = heap.time_s[0]
            if arrived < jobs:
                now = min(now, release[arrived])
            limit = now * (1.0 + INSTANT)
            # Frees and ends of host work, then arrivals: each may bring a job to its next segment.
            new = 0
            while pending > 0 and heap.time_s[0] <= limit:
                now = max(now, heap.time_s[0])
                j = heap.job[0]
                free += heap.ranks[0]
                running_units[j] -= heap.ranks[0]
                if heap.ranks[0] > 0:
                    freed[j] = heap.time_s[0]
                pop(heap, pending)
                pending -= 1
                if running_units[j] == 0 and waiting_units[j] == 0:
                    newcomer[new] = j
                    new += 1
            while arrived < jobs and release[arrived] <= limit:
                now = max(now, release[arrived])
                waiting_units[arrived] = 0
                if ranks[arrived] > 0:
                    newcomer[new] = arrived
                    new += 1
                arrived += 1
            # At one instant requests queue in the order of their jobs.
            queued = np.sort(newcomer[:new])
            for i in range(new):
                j = queued[i]
                segment[j] += 1
                k = segment[j]
                if k == last_segment[j]:
                    end[j] = now
                elif kind[k] == HOST:
                    push(heap, pending, now + seconds[k], j, 0)
                    pending += 1
                else:
                    waiting_units[j] = count[k]
                    queue[tail % jobs] = j
                    tail += 1
            while head < tail and free > 0:
                j = queue[head % jobs]
                k = segment[j]
                if kind[k] == GANG and count[k] > free:
                    break
                units = min(waiting_units[j], free)
                if np.isnan(start[j]):
                    start[j] = now
                waiting_units[j] -= units
                running_units[j] += units
                free -= units
                held_rank_s += units * seconds[k]
                push(heap, pending, now + seconds[k], j, units)
                pending += 1
                if waiting_units[j] == 0:
                    head += 1
        added_share = held_rank_s / bare - 1.0 if bare > 0 else 0.0
        measure(release, end, held_rank_s, added_share, R, results.measures[s])
