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
LARGEST = 1 << 62
"""More than any clock."""


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
    """Directed graph as compressed sparse rows: first int64[n + 1], target int32[m] (ascending in a row), weight[m].

    The dtype of weight, int32 or int64, holds every distance and one number more: that of vertices not reached.
    """

    first: np.ndarray
    target: np.ndarray
    weight: np.ndarray


def graph_of(first: np.ndarray, target: np.ndarray, weight: np.ndarray) -> Graph:
    """A graph from compressed rows of any integers, in the smallest types: most of a traversal waits for memory.

    Raises ValueError for more than 2^31 - 1 vertices.
    """
    n, most = len(first) - 1, np.iinfo(np.int32).max
    if n > most:
        raise ValueError(f"the graph has {n} vertices; at most {most} can be traversed")
    fits = n * int(weight.max(initial=1)) < most
    return Graph(first.astype(np.int64), target.astype(np.int32), weight.astype(np.int32 if fits else np.int64))


@njit(cache=True)
def unreached(state) -> int:
    """What stands in the states (distances) for a vertex that is not reached: more than any distance."""
    return np.iinfo(state.dtype).max


@njit(cache=True)
def block_of(vertices: int, stacks: int) -> int:
    """Vertices a stack."""
    return max(1, (vertices + stacks - 1) // stacks)


@njit(cache=True)
def division(block: int):
    """(factor, shift) with v // block == (v * factor) >> shift for 0 <= v < 2^31 and 1 <= block < 2^31.

    Granlund and Montgomery, Division by invariant integers using multiplication, PLDI 1994, Theorem 4.2.
    """
    bits = 0
    while (1 << bits) < block:
        bits += 1
    shift = 31 + bits
    return ((1 << shift) + block - 1) // block, shift


@njit(cache=True)
def serialised(remote: int, mlp: int) -> int:
    """Round trips that a set of remote accesses takes."""
    if remote == 0 or mlp == 0:
        return min(remote, 1)
    return (remote + mlp - 1) // mlp


# Arrays are handed over one by one: each use of one inside a tuple would count its references.


@njit(cache=True)
def begin_level(start: int, first: int, clock, busy, head, tail) -> None:
    """Put the cores at the barrier; those that have work wait `first` cycles for their first dequeue.

    clock: int64[stacks], written: cycle each core has come to; busy: int64[stacks], zeroed: cycles of its tasks; head,
    tail: int64[stacks]: what its queue holds of the level's elements.
    """
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
def thief(working: int, gain: int, clock, head, tail, own) -> int:
    """The core that acts next where idle ones steal what is worth it: `working` or an idle one.

    working: of the cores with work the one with the smallest clock, the first of several; clock, head, tail: as of
    `begin_level`; own: int64[3], cycles and number of the tasks that were not stolen in the traversal so far, and
    cycles of one before there are any; gain: cycles that a stolen task takes longer than one of its owner.
    """
    # A stolen task takes as long as one of its owner, and what is remote; the owner would be done with all at `by`.
    task = own[0] // own[1] if own[1] else own[2]
    q = fullest(head, tail)
    by = clock[q] + (tail[q] - head[q]) * task
    until = min(clock[working] + 1, by - task - gain)
    found = working
    for p in range(len(clock)):
        sooner = clock[p] < clock[found] or (clock[p] == clock[found] and p < found)
        if head[p] == tail[p] and clock[p] < until and sooner:
            found = p
    return found
