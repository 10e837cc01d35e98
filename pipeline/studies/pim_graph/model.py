"""The machine of thesis chapter 7: P stacks of memory, a core each, work queued level by level.

One compiled engine runs every policy: a policy is a choice of destination, of what is checked before an element is
enqueued, of the queue, and of stealing. Equations and readings: docs/models/pim_graph.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

BFS, SSSP, BC = range(3)
ROUND_ROBIN, OWNER = range(2)
NONE, LOCAL, ALL = range(3)
NEVER, ALWAYS, WORTHWHILE = range(3)
UNREACHED = np.iinfo(np.int64).max


class Policy(NamedTuple):
    """How a policy places work.

    destination: queue of a neighbour (ROUND_ROBIN or OWNER); checked: neighbours whose state is looked at before they
    are enqueued (NONE, LOCAL to the executor, ALL); with ALL the state is written at once, otherwise an element is
    checked when it is dequeued; unique: the queues are hash sets; steals: whether an idle core takes the head of the
    fullest queue: NEVER, ALWAYS, or where that is WORTHWHILE, as it would be done before the owner is through.
    """

    destination: int
    checked: int
    unique: bool
    steals: int


class Cost(NamedTuple):
    """Cycles of the machine: local and remote access, queue service, interval of enqueues, a task's own work, that of a
    discarded element; software: the queues' pointers are moved by atomics; per_task: these reserve slots once a task
    and queue, and the core waits; mlp: remote accesses of a set that are under way at once (0 = all)."""

    ql: int
    qr: int
    s: int
    e: int
    cl: int
    cd: int
    software: bool
    per_task: bool
    mlp: int


class Graph(NamedTuple):
    """Directed graph as compressed sparse rows, int64 each: first[n + 1], target[m] (ascending in a row), weight[m]."""

    first: np.ndarray
    target: np.ndarray
    weight: np.ndarray


@njit(cache=True)
def block_of(vertices: int, stacks: int) -> int:
    """Vertices a stack."""
    return max(1, (vertices + stacks - 1) // stacks)


@njit(cache=True)
def serialised(remote: int, mlp: int) -> int:
    """Round trips that a set of remote accesses takes."""
    if remote == 0 or mlp == 0:
        return min(remote, 1)
    return (remote + mlp - 1) // mlp


# Arrays are handed over one by one: each use of one inside a tuple would count its references.


@njit(cache=True)
def begin_level(start: int, cost: Cost, clock, busy, head, tail) -> None:
    """Put the cores at the barrier; those that have work wait for their first dequeue.

    clock: int64[stacks], written: cycle each core has come to; busy: int64[stacks], zeroed: cycles of its tasks; head,
    tail: int64[stacks]: what its queue holds of the level's elements.
    """
    first = (2 if cost.software else 1) * cost.ql
    for p in range(len(clock)):
        clock[p] = start + (first if head[p] < tail[p] else 0)
        busy[p] = 0


@njit(cache=True)
def fullest(head, tail) -> int:
    """The queue with most elements, the first of several."""
    found = 0
    for q in range(1, len(head)):
        if tail[q] - head[q] > tail[found] - head[found]:
            found = q
    return found


@njit(cache=True)
def next_core(policy: Policy, cost: Cost, clock, head, tail, own) -> int:
    """The core that acts next, of those that have work or may steal some the one with the smallest clock; -1: none.

    own: int64[2], cycles and number of the tasks that were not stolen, of the traversal so far.
    """
    found = -1
    for p in range(len(clock)):
        if head[p] < tail[p] and (found < 0 or clock[p] < clock[found]):
            found = p
    if found < 0 or policy.steals == NEVER:
        return found
    until = clock[found] + 1
    if policy.steals == WORTHWHILE:
        # A stolen task takes as long as one of its owner, and what is remote; the owner would be done with all at `by`.
        task = own[0] // own[1] if own[1] else cost.s + cost.cl
        q = fullest(head, tail)
        by = clock[q] + (tail[q] - head[q]) * task
        trips = 2 if policy.checked == ALL else 3
        until = min(until, by - task - (2 if cost.software else 1) * cost.qr - trips * (cost.qr - cost.ql))
    for p in range(len(clock)):
        sooner = clock[p] < clock[found] or (clock[p] == clock[found] and p < found)
        if head[p] == tail[p] and clock[p] < until and sooner:
            found = p
    return found
