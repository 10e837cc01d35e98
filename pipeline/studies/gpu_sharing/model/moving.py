"""SMs that change hands while applications run: when each is free, and what that costs (thesis, Section 5.4).

Model: docs/models/gpu_sharing.md, "How an SM is freed".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from pipeline.simulation.rules import Floats, FloatTable
from pipeline.studies.gpu_sharing.model import beside, meets

LONGEST_SAMPLE = 25_000.0
"""Cycles that a round samples at most (Section 6.3.2)."""
WAYS = ("wait", "migrate", "terminate")
WAIT, MIGRATE, TERMINATE = range(len(WAYS))


class Running(NamedTuple):
    """Applications of a mix and what they have done; arrays with a value for each, `profile` of shape (k, S + 1)."""

    profile: FloatTable
    pressure: Floats
    gamma: Floats
    block_cycles: Floats
    target: Floats
    """0: none."""
    work: Floats
    """Instructions so far, less what has to be done again."""
    below: Floats
    """Cycles so far below the target."""
    again: Floats
    """Instructions that are done again, as thread blocks were ended."""


@njit(cache=True)
def run_for(cycles, split, running, throughput):
    """Let the applications run on their SMs for so many cycles; writes their throughput."""
    for i in range(len(split)):
        throughput[i] = running.profile[i, split[i]]
    beside(throughput, split, running.pressure, running.gamma, throughput)
    for i in range(len(split)):
        running.work[i] += throughput[i] * cycles
        if running.target[i] > 0.0 and not meets(throughput[i], running.target[i]):
            running.below[i] += cycles


@njit(cache=True)
def take(split, new):
    """Give one SM to the first application that is to have more; False where none is."""
    for i in range(len(split)):
        if split[i] < new[i]:
            split[i] += 1
            return True
    return False


@njit(cache=True)
def move(old, new, now, idle, way, migrate_cycles, running):
    """Move SMs from one split to the next after `now`, the applications running on; returns when the last has moved.

    idle: SMs that nobody has. way: how SMs are freed (WAYS). SMs go to their new owners in slot order, idle ones at
    once and others as they come free. The j-th SM that an application on n gives up is free
    j block_cycles / n cycles later and works until then (WAIT); or its state is moved, one SM after the other, in
    migrate_cycles each (MIGRATE); or its blocks, (j - 1) / n of one done, are ended at once and start again elsewhere
    (TERMINATE).
    """
    k = len(old)
    split, given, throughput = old.copy(), np.zeros(k, np.int64), np.empty(k)
    while idle > 0 and take(split, new):
        idle -= 1
    moving, moved = 0, 0
    if way != WAIT:
        run_for(0.0, old, running, throughput)
        for i in range(k):
            for j in range(old[i] - new[i]):
                if way == TERMINATE:
                    lost = throughput[i] / old[i] * j * running.block_cycles[i] / old[i]
                    running.work[i] -= lost
                    running.again[i] += lost
                split[i] -= 1
                moving += 1
    time = now
    while True:
        donor, free = -1, np.inf
        if way == WAIT:
            for i in range(k):
                if split[i] > new[i]:
                    when = now + (given[i] + 1) * running.block_cycles[i] / old[i]
                    if when < free:
                        donor, free = i, when
        elif moved < moving:
            free = now if way == TERMINATE else now + (moved + 1) * migrate_cycles
        if free == np.inf:
            return time
        run_for(free - time, split, running, throughput)
        time = free
        if way == WAIT:
            given[donor] += 1
            split[donor] -= 1
        else:
            moved += 1
        take(split, new)
