"""Targets of most expected work until the next reconfiguration can take effect, what it costs to get there counted.

`docs/models/hpc_memory.md` has the formulas ("cost_aware"). A GB that a job holds works for it from now on, one that is
new to it only after tau. What a job makes of its memory is therefore concave with a kink at what it holds, and to raise
the job whose next GB is worth most, again and again, is optimal.
"""

from __future__ import annotations

from math import exp

import numpy as np

from pipeline.simulation.easy import leaf
from pipeline.studies.hpc_memory.rules import EPSILON_GB, asked, grant, share_gb

TIE = 1e-9
"""Two GB whose worth differs by less than this (relative) are a tie: release, then job id decide."""

CURRENT_HELD, PROFILE_HELD, CURRENT_NEW, PROFILE_NEW, WORTH = 0, 1, 2, 3, 4
"""Numbers of a slot in the rule's room: expected seconds for which a GB held, or one that is new, serves the current
phase's need or one drawn from the profile, and what the next GB is worth."""


@leaf
def in_current_phase_s(until_s, certain_s, mean_phase_s):
    """Expected time in the current phase from now to `until_s`: certain for `certain_s`, then exponential."""
    if until_s <= certain_s:
        return until_s
    return certain_s + mean_phase_s * (1 - exp((certain_s - until_s) / mean_phase_s))


@leaf
def _first(slot, other, numbers, job_of):
    """Whether the next GB goes to `slot` rather than to `other`."""
    worth, others = numbers[slot, WORTH], numbers[other, WORTH]
    if abs(worth - others) > TIE * max(worth, others):
        return worth > others
    return job_of[slot] < job_of[other]


@leaf
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


@leaf
def _worth(at_gb, held_gb, need_gb, nodes, gain, numbers, slot):
    """Node-seconds that a job gets out of one more GB beyond `at_gb`, over 1 - alpha; `gain` is g / c there."""
    held = at_gb < held_gb
    worth = gain * (numbers[slot, PROFILE_HELD] if held else numbers[slot, PROFILE_NEW])
    if at_gb < need_gb:
        worth += nodes / need_gb * (numbers[slot, CURRENT_HELD] if held else numbers[slot, CURRENT_NEW])
    return worth


@leaf
def _raise_by_worth(state, workload, room, target_gb):
    """Raise the job whose next GB is worth most, again and again, while there is memory and a GB is worth something."""
    job_of, need_gb, held_gb = state.job, state.need_gb, state.held_gb
    numbers, heap, level = room.slot, room.whole[0], room.whole[1]
    size = 0
    for slot in state.running:
        job = job_of[slot]
        target_gb[slot] = 0.0
        first = workload.first_level[job]
        level[slot] = first
        gain = workload.level_gain[first] if first < workload.first_level[job + 1] else 0.0
        numbers[slot, WORTH] = _worth(0.0, held_gb[slot], need_gb[slot], workload.nodes[job], gain, numbers, slot)
        if numbers[slot, WORTH] > 0.0:
            heap[size] = slot
            size += 1
    for root in range(size // 2 - 1, -1, -1):
        _sift_down(heap, size, root, numbers, job_of)

    available = state.available_gb
    while size > 0 and available > 0.0:
        slot = heap[0]
        job = job_of[slot]
        at = target_gb[slot]
        past = workload.first_level[job + 1]
        upper = workload.level_gb[level[slot]] if level[slot] < past else np.inf
        if need_gb[slot] > at:
            upper = min(upper, need_gb[slot])
        if held_gb[slot] > at:
            upper = min(upper, held_gb[slot])
        if upper - at >= available:
            target_gb[slot] = at + available
            break
        available -= upper - at
        target_gb[slot] = upper
        while level[slot] < past and workload.level_gb[level[slot]] <= upper:
            level[slot] += 1
        gain = workload.level_gain[level[slot]] if level[slot] < past else 0.0
        numbers[slot, WORTH] = _worth(upper, held_gb[slot], need_gb[slot], workload.nodes[job], gain, numbers, slot)
        if numbers[slot, WORTH] <= 0.0:
            size -= 1
            heap[0] = heap[size]
        _sift_down(heap, size, 0, numbers, job_of)


@asked(first=True)
@grant
def work(state, workload, machine, room, target_gb):
    """The targets of most expected work, or those held where no job would get more.

    A job starts with the share of its nodes, as far as nobody holds that memory.
    """
    if state.starting >= 0:
        target_gb[state.starting] = max(0.0, min(share_gb(state, workload, machine), state.available_gb))
        return
    job_of, need_gb, held_gb = state.job, state.need_gb, state.held_gb
    numbers = room.slot
    changes_per_s = 0.0
    for slot in state.running:
        changes_per_s += 1 / workload.mean_phase_s[job_of[slot]]
    next_change_s = 1 / changes_per_s if len(state.running) > 0 else 0.0
    horizon_s = next_change_s + 2 * machine.tau_s

    highest_gb, enough = 0.0, True
    for slot in state.running:
        job = job_of[slot]
        mean_s = workload.mean_phase_s[job]
        delay_s = 0.0 if machine.free_start and state.start_s[slot] == state.now_s else machine.tau_s
        current_s = in_current_phase_s(horizon_s, next_change_s, mean_s)
        missed_s = in_current_phase_s(delay_s, next_change_s, mean_s)
        numbers[slot, CURRENT_HELD] = current_s
        numbers[slot, PROFILE_HELD] = horizon_s - current_s
        numbers[slot, CURRENT_NEW] = current_s - missed_s
        numbers[slot, PROFILE_NEW] = max(0.0, horizon_s - current_s - (delay_s - missed_s))
        highest = workload.first_level[job + 1] - 1
        if highest >= workload.first_level[job] and workload.level_gb[highest] >= need_gb[slot]:
            highest_gb += workload.level_gb[highest]
            enough = enough and numbers[slot, PROFILE_NEW] * workload.level_gain[highest] > 0.0
        else:
            enough = False
    if enough and highest_gb <= state.available_gb * (1 - TIE):
        # Each GB up to the highest level is worth something, and there is enough for all: the order does not matter.
        for slot in state.running:
            target_gb[slot] = workload.level_gb[workload.first_level[job_of[slot] + 1] - 1]
    else:
        _raise_by_worth(state, workload, room, target_gb)

    for slot in state.running:
        if target_gb[slot] - held_gb[slot] > EPSILON_GB:
            return
    for slot in state.running:
        target_gb[slot] = held_gb[slot]
