"""Targets of most expected work until the next reconfiguration can take effect, what it costs to get there counted.

`docs/models/hpc_memory.md` has the formulas ("cost_aware"). A GB that a job holds works for it from now on, one that is
new to it only after tau. What a job makes of its memory is therefore concave with a kink at what it holds, and to raise
the job whose next GB is worth most, again and again, is optimal.
"""

from __future__ import annotations

from math import exp

import numpy as np
from numba import njit

from pipeline.studies.hpc_memory.grants import EPSILON_GB

TIE = 1e-9
"""Two GB whose worth differs by less than this (relative) are a tie: release, then job id decide."""

CURRENT_HELD, PROFILE_HELD, CURRENT_NEW, PROFILE_NEW, WORTH = 0, 1, 2, 3, 4
COLUMNS = 5
"""Room for numbers a slot: expected seconds for which a GB held, or one that is new, serves the current phase's need
or one drawn from the profile, and what the next GB is worth."""


@njit(cache=True)
def in_current_phase_s(until_s, certain_s, mean_phase_s):
    """Expected time in the current phase from now to `until_s`: certain for `certain_s`, then exponential."""
    if until_s <= certain_s:
        return until_s
    return certain_s + mean_phase_s * (1 - exp((certain_s - until_s) / mean_phase_s))


@njit(cache=True)
def _first(slot, other, numbers, job_of):
    """Whether the next GB goes to `slot` rather than to `other`."""
    worth, others = numbers[slot, WORTH], numbers[other, WORTH]
    if abs(worth - others) > TIE * max(worth, others):
        return worth > others
    return job_of[slot] < job_of[other]


@njit(cache=True)
def _sift_down(heap, size, root, numbers, job_of):
    while True:
        child = 2 * root + 1
        if child >= size:
            return
        if child + 1 < size and _first(heap[child + 1], heap[child], numbers, job_of):
            child += 1
        if not _first(heap[child], heap[root], numbers, job_of):
            return
        heap[root], heap[child] = heap[child], heap[root]
        root = child


@njit(cache=True)
def _worth(at_gb, held_gb, need_gb, nodes, gain, numbers, slot):
    """Node-seconds that a job gets out of one more GB beyond `at_gb`, over 1 - alpha; `gain` is g / c there."""
    held = at_gb < held_gb
    worth = gain * (numbers[slot, PROFILE_HELD] if held else numbers[slot, PROFILE_NEW])
    if at_gb < need_gb:
        worth += nodes / need_gb * (numbers[slot, CURRENT_HELD] if held else numbers[slot, CURRENT_NEW])
    return worth


@njit(cache=True)
def share_at_start_gb(nodes, machine, active, running, held_gb, unusable_gb):
    """What a job starts with: its nodes' share, as far as the running jobs and the operation under way leave it."""
    unallocated_gb = machine.memory_gb - unusable_gb
    for i in range(running):
        unallocated_gb -= held_gb[active[i]]
    return max(0.0, min(nodes * machine.memory_gb / machine.nodes, unallocated_gb))


@njit(cache=True)
def grant_work(active, running, job_of, workload, machine, need_gb, held_gb, delay_s, wanted_gb, heap, level, numbers):
    """Write to `wanted_gb` the targets of most expected work, or those held where no job would get more.

    active: the `running` slots in use; need_gb, held_gb, delay_s (float64, slots): need of the current phase, target
    until now, and how long what is new takes to arrive. heap, level (int64, slots) and numbers (float64, slots x
    COLUMNS) are room to work in.
    """
    changes_per_s = 0.0
    for i in range(running):
        changes_per_s += 1 / workload.mean_phase_s[job_of[active[i]]]
    next_change_s = 1 / changes_per_s if running > 0 else 0.0
    horizon_s = next_change_s + 2 * machine.tau_s

    size = 0
    for i in range(running):
        slot = active[i]
        job = job_of[slot]
        mean_s = workload.mean_phase_s[job]
        current_s = in_current_phase_s(horizon_s, next_change_s, mean_s)
        missed_s = in_current_phase_s(delay_s[slot], next_change_s, mean_s)
        numbers[slot, CURRENT_HELD] = current_s
        numbers[slot, PROFILE_HELD] = horizon_s - current_s
        numbers[slot, CURRENT_NEW] = current_s - missed_s
        numbers[slot, PROFILE_NEW] = max(0.0, horizon_s - current_s - (delay_s[slot] - missed_s))
        wanted_gb[slot] = 0.0
        first = workload.first_level[job]
        level[slot] = first
        gain = workload.level_gain[first] if first < workload.first_level[job + 1] else 0.0
        numbers[slot, WORTH] = _worth(0.0, held_gb[slot], need_gb[slot], workload.nodes[job], gain, numbers, slot)
        if numbers[slot, WORTH] > 0.0:
            heap[size] = slot
            size += 1
    for root in range(size // 2 - 1, -1, -1):
        _sift_down(heap, size, root, numbers, job_of)

    available = machine.memory_gb
    while size > 0 and available > 0.0:
        slot = heap[0]
        job = job_of[slot]
        at = wanted_gb[slot]
        past = workload.first_level[job + 1]
        upper = workload.level_gb[level[slot]] if level[slot] < past else np.inf
        if need_gb[slot] > at:
            upper = min(upper, need_gb[slot])
        if held_gb[slot] > at:
            upper = min(upper, held_gb[slot])
        if upper - at >= available:
            wanted_gb[slot] = at + available
            break
        available -= upper - at
        wanted_gb[slot] = upper
        while level[slot] < past and workload.level_gb[level[slot]] <= upper:
            level[slot] += 1
        gain = workload.level_gain[level[slot]] if level[slot] < past else 0.0
        numbers[slot, WORTH] = _worth(upper, held_gb[slot], need_gb[slot], workload.nodes[job], gain, numbers, slot)
        if numbers[slot, WORTH] <= 0.0:
            size -= 1
            heap[0] = heap[size]
        _sift_down(heap, size, 0, numbers, job_of)

    for i in range(running):
        if wanted_gb[active[i]] - held_gb[active[i]] > EPSILON_GB:
            return
    for i in range(running):
        wanted_gb[active[i]] = held_gb[active[i]]
