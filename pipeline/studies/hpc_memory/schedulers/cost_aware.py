"""Cost-aware: most expected work until the next reconfiguration takes effect, work lost while memory moves counted.

Not of the paper, which leaves it open (Section VII). `docs/models/hpc_memory.md` derives the rule and has
the formulas. A GB that a job holds works for it from now on, one that is new to it only after tau. What a job makes of
its memory is therefore concave with a kink at what it holds, and to raise the job whose next GB is worth most, again
and again, is optimal.
"""

from __future__ import annotations

from math import exp

import numpy as np

from pipeline.simulation.easy import inlined, leaf
from pipeline.studies.hpc_memory.rules import EPSILON_GB, asked, grant, share_gb

COMPLEXITY = 6
PROFILE = True

TIE = 1e-9
"""Two GB whose worth differs by less than this (relative) are a tie: release, then job id decide."""

ABOVE = (1.05, 2.0, np.inf)
"""Worth over that of the GB with which memory was exhausted the last time, tried one after the other: all GB that are
worth more are given at once, where there are as many."""
BELOW = 0.9
"""Only jobs whose next GB is worth more than this part of it are put in order, as long as they can take the memory."""
CALLED, LAST_WORTH = 0, 1
"""Numbers of the rule's room: whether it was asked before, and what the last GB was worth then, over the horizon."""

KNOWN, STAY_S = 0, 1
"""Numbers of a job in the rule's room: whether the other is known, and the expected time in the current phase from the
next change to the horizon, two tau later."""

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


@inlined
def _raised(at_gb, bound, level, past, workload, held_gb, need_gb, nodes, numbers, slot):
    """Give a job more than `at_gb` as long as a GB is worth more than `bound`; returns GB, next level and worth there.

    The worth changes at a level of the profile, at the current need and at what is held.
    """
    level_gb, level_gain = workload.level_gb, workload.level_gain
    while True:
        while level < past and level_gb[level] <= at_gb:
            level += 1
        gain = level_gain[level] if level < past else 0.0
        worth = _worth(at_gb, held_gb, need_gb, nodes, gain, numbers, slot)
        if not worth > bound:
            return at_gb, level, worth
        at_gb = _next_gb(at_gb, level_gb[level] if level < past else np.inf, need_gb, held_gb)


@leaf
def _next_gb(at_gb, level_gb, need_gb, held_gb):
    """Where the worth of a job's GB changes the next time beyond `at_gb`; inf where it does not."""
    upper = level_gb
    if need_gb > at_gb:
        upper = min(upper, need_gb)
    if held_gb > at_gb:
        upper = min(upper, held_gb)
    return upper


@leaf
def _raise_by_worth(state, workload, room, target_gb, horizon_s):
    """Raise the job whose next GB is worth most, again and again, while there is memory and a GB is worth something.

    GB that are worth clearly more than the last one was when the rule was asked before are given first and at once: the
    order does not matter among those that all are given.
    """
    running, job_of, need_gb, held_gb = state.running, state.job, state.need_gb, state.held_gb
    first_level, level_gb, level_gain = workload.first_level, workload.level_gb, workload.level_gain
    nodes = workload.nodes
    numbers, heap, level = room.slot, room.whole[0], room.whole[1]
    last_worth, available = room.scheduler[LAST_WORTH] * horizon_s, 0.0
    for attempt in range(0 if room.scheduler[CALLED] > 0.0 else len(ABOVE) - 1, len(ABOVE)):
        bound = last_worth * ABOVE[attempt] if attempt < len(ABOVE) - 1 else np.inf
        available = state.available_gb
        for slot in running:
            job, held, need = job_of[slot], held_gb[slot], need_gb[slot]
            first, past = first_level[job], first_level[job + 1]
            # Where the last call left the job is near; where another job had the slot, it is no level of this one.
            up = level[slot] if first <= level[slot] <= past else first
            while up > first:
                gain = level_gain[up] if up < past else 0.0
                if _worth(level_gb[up - 1], held, need, nodes[job], gain, numbers, slot) > bound:
                    break
                up -= 1
            target_gb[slot], level[slot], numbers[slot, WORTH] = _raised(
                level_gb[up - 1] if up > first else 0.0, bound, up, past, workload, held, need, nodes[job], numbers,
                slot,
            )  # fmt: skip
            available -= target_gb[slot]
        if available >= 0.0:
            break

    room.scheduler[CALLED], room.scheduler[LAST_WORTH] = 1.0, 0.0
    for least in (BELOW * last_worth, 0.0):
        size = 0
        for slot in running:
            if numbers[slot, WORTH] > least:
                heap[size] = slot
                size += 1
        for root in range(size // 2 - 1, -1, -1):
            _sift_down(heap, size, root, numbers, job_of)
        while size > 0 and available > 0.0:
            slot = heap[0]
            job, at_gb = job_of[slot], target_gb[slot]
            past = first_level[job + 1]
            upper = _next_gb(
                at_gb, level_gb[level[slot]] if level[slot] < past else np.inf, need_gb[slot], held_gb[slot]
            )
            if upper - at_gb >= available:
                target_gb[slot] += available
                room.scheduler[LAST_WORTH] = numbers[slot, WORTH] / horizon_s
                return
            available -= upper - at_gb
            target_gb[slot], level[slot], numbers[slot, WORTH] = _raised(
                upper, np.inf, level[slot], past, workload, held_gb[slot], need_gb[slot], nodes[job], numbers, slot
            )
            if numbers[slot, WORTH] <= least:
                size -= 1
                heap[0] = heap[size]
            _sift_down(heap, size, 0, numbers, job_of)


@asked(first=True)
@grant
def rule(state, workload, machine, room, target_gb):
    """The targets of most expected work, or those held where no job would get more.

    A job starts with the share of its nodes, as far as nobody holds that memory.
    """
    if state.starting >= 0:
        target_gb[state.starting] = max(0.0, min(share_gb(state, workload, machine), state.available_gb))
        return
    running, job_of, need_gb, held_gb = state.running, state.job, state.need_gb, state.held_gb
    first_level, level_gb, level_gain = workload.first_level, workload.level_gb, workload.level_gain
    mean_phase_s, known, numbers = workload.mean_phase_s, room.job, room.slot
    tau_s = machine.tau_s
    changes_per_s = 0.0
    for slot in running:
        changes_per_s += 1 / mean_phase_s[job_of[slot]]
    next_change_s = 1 / changes_per_s if len(running) > 0 else 0.0
    horizon_s = next_change_s + 2 * tau_s

    highest_gb, enough = 0.0, True
    for slot in running:
        job = job_of[slot]
        mean_s = mean_phase_s[job]
        delay_s = 0.0 if machine.free_start and state.start_s[slot] == state.now_s else tau_s
        if known[job, KNOWN] == 0.0:
            known[job, KNOWN], known[job, STAY_S] = 1.0, mean_s * (1 - exp(-2 * tau_s / mean_s))
        current_s = next_change_s + known[job, STAY_S]
        missed_s = in_current_phase_s(delay_s, next_change_s, mean_s)
        numbers[slot, CURRENT_HELD] = current_s
        numbers[slot, PROFILE_HELD] = horizon_s - current_s
        numbers[slot, CURRENT_NEW] = current_s - missed_s
        numbers[slot, PROFILE_NEW] = max(0.0, horizon_s - current_s - (delay_s - missed_s))
        highest = first_level[job + 1] - 1
        if highest >= first_level[job] and level_gb[highest] >= need_gb[slot]:
            highest_gb += level_gb[highest]
            enough = enough and numbers[slot, PROFILE_NEW] * level_gain[highest] > 0.0
        else:
            enough = False
    if enough and highest_gb <= state.available_gb * (1 - TIE):
        # Each GB up to the highest level is worth something, and there is enough for all: the order does not matter.
        for slot in running:
            target_gb[slot] = level_gb[first_level[job_of[slot] + 1] - 1]
    else:
        _raise_by_worth(state, workload, room, target_gb, horizon_s)

    for slot in running:
        if target_gb[slot] - held_gb[slot] > EPSILON_GB:
            return
    for slot in running:
        target_gb[slot] = held_gb[slot]
