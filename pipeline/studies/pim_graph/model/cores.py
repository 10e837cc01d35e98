"""The cores of the machine within a level: when each begins, who acts next, and what it waits for."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from pipeline.studies.pim_graph.rules import PASS, Scenario

LARGEST = 1 << 62
"""More than any clock."""
WRONG_VALUE, WRONG_QUEUE, WRONG_THEFT = 1, 2, 3
"""Kinds of faults."""


class Decisions(NamedTuple):
    """The compiled rules of a scenario, and what lies between them and the engine.

    places, steals: whether the rule is asked; memory: int64[stacks, WORDS]; elements:
    int64[1], of a theft; fault: int64[5], zeros, or what is wrong: a kind; of WRONG_VALUE the vertex, of WRONG_QUEUE
    core, queue and vertex, of WRONG_THEFT core, queue, elements and how many there are.
    """

    places: bool
    steals: bool
    place: Any
    steal: Any
    memory: np.ndarray
    elements: np.ndarray
    fault: np.ndarray


# Arrays are taken out of their tuples once: each use of one inside a tuple would count its references.


@njit(cache=True)
def begin_level(start: int, scenario: Scenario, clock, busy, head, tail) -> None:
    """Put the cores at the barrier, cycle `start`; those that have work wait for their first dequeue.

    clock, busy, head, tail: as of rules.Machine; the first two are written.
    """
    first = (2 if scenario.software else 1) * scenario.ql
    for p in range(len(clock)):
        clock[p] = start + (first if head[p] < tail[p] else 0)
        busy[p] = 0


@njit(inline="always")
def soonest(ready) -> int:
    """The core that is ready first, the first of several."""
    core, least = 0, ready[0]
    for p in range(1, len(ready)):
        core = p if ready[p] < least else core
        least = min(ready[p], least)
    return core


@njit(cache=True)
def following(core: int, answer: int, clock, head, tail) -> int:
    """The core that comes next by clock and number after an idle one that answers PASS; NOBODY: of those with work."""
    next_core = -1
    for p in range(len(clock)):
        later = clock[p] > clock[core] or (clock[p] == clock[core] and p > core)
        if later and (head[p] < tail[p] or answer == PASS) and (next_core < 0 or clock[p] < clock[next_core]):
            next_core = p
    return next_core


@njit(cache=True)
def refuse_theft(fault, core: int, victim: int, elements: int, held: int) -> None:
    """Write to `fault` (as of `Decisions`) that a queue has not as many elements as a rule says."""
    fault[0], fault[1], fault[2], fault[3], fault[4] = WRONG_THEFT, core, victim, elements, held


@njit(cache=True)
def serialised(remote: int, mlp: int) -> int:
    """Round trips that a set of remote accesses takes."""
    if remote == 0 or mlp == 0:
        return min(remote, 1)
    return (remote + mlp - 1) // mlp
