"""EASY backfilling as a plain compiled loop, with nothing else in it: what the memory model and its generality cost.

No memory, no phases, no speeds; nodes are a number. The same rule as `pipeline.simulation.easy`: one pass an instant,
jobs that end together with the head's reservation count for its extra nodes, and a submission alone lets only the new
jobs be looked at.
"""

from __future__ import annotations

import numpy as np
from numba import njit

FREE, RUNNING = 0, 1


@njit
def schedule(release_s, nodes, runtime_s, walltime_s, processors, start_s):
    """Write the start of every job to `start_s`; all arrays by release, times in s (float64), nodes int64."""
    jobs = len(release_s)
    waiting = np.empty(jobs, np.int64)
    head, tail, released = 0, 0, 0
    room = min(jobs, processors) + 1
    # Running jobs by expected end.
    expected_s, end_s, width = np.empty(room), np.empty(room), np.empty(room, np.int64)
    state = np.array([processors, 0])
    shadow_s, extra = -np.inf, 0

    while True:
        now = release_s[released] if released < jobs else np.inf
        for i in range(state[RUNNING]):
            now = min(now, end_s[i])
        if now == np.inf:
            return

        kept = 0
        for i in range(state[RUNNING]):
            if end_s[i] <= now:
                state[FREE] += width[i]
            else:
                expected_s[kept], end_s[kept], width[kept] = expected_s[i], end_s[i], width[i]
                kept += 1
        ended = kept < state[RUNNING]
        state[RUNNING] = kept
        seen = tail
        while released < jobs and release_s[released] <= now:
            waiting[tail] = released
            tail += 1
            released += 1

        first = seen
        if ended or head == seen:
            while head < tail and nodes[waiting[head]] <= state[FREE]:
                job = waiting[head]
                start_s[job] = now
                _occupy(state, expected_s, end_s, width, now + walltime_s[job], now + runtime_s[job], nodes[job])
                head += 1
            if head == tail:
                head, tail = 0, 0
                continue
            shadow_s, available = -np.inf, state[FREE]
            needed = nodes[waiting[head]]
            for i in range(state[RUNNING]):
                if available >= needed and expected_s[i] != shadow_s:
                    break
                shadow_s = expected_s[i]
                available += width[i]
            extra = available - needed
            first = head + 1

        kept = first
        for i in range(first, tail):
            job = waiting[i]
            before_shadow = now + walltime_s[job] <= shadow_s
            if nodes[job] <= state[FREE] and (before_shadow or nodes[job] <= extra):
                if not before_shadow:
                    extra -= nodes[job]
                start_s[job] = now
                _occupy(state, expected_s, end_s, width, now + walltime_s[job], now + runtime_s[job], nodes[job])
            else:
                waiting[kept] = job
                kept += 1
        tail = kept


@njit
def _occupy(state, expected_s, end_s, width, expected_end_s, actual_end_s, nodes):
    position = state[RUNNING]
    while position > 0 and expected_s[position - 1] > expected_end_s:
        expected_s[position] = expected_s[position - 1]
        end_s[position] = end_s[position - 1]
        width[position] = width[position - 1]
        position -= 1
    expected_s[position], end_s[position], width[position] = expected_end_s, actual_end_s, nodes
    state[RUNNING] += 1
    state[FREE] -= nodes
