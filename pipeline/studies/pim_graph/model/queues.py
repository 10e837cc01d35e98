"""What the cores enqueue in a level, and how it becomes the queues of the next."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from pipeline.simulation.arrays import copy
from pipeline.studies.pim_graph.model.cores import LARGEST


class Room(NamedTuple):
    """Space for the elements of two levels, all arrays of one length; kept from level to level.

    What is issued, in the order in which the tasks of each core took effect: vertex (int32), value (candidate for its
    state, of the states' dtype), arrival (int64, cycle at the queue), stream (int32: queue x stacks + source); order
    (int32): their places by stream. What is pulled, one queue after another: pull (int32), vertices, and pull_value.
    """

    vertex: np.ndarray
    value: np.ndarray
    arrival: np.ndarray
    stream: np.ndarray
    order: np.ndarray
    pull: np.ndarray
    pull_value: np.ndarray


@njit(cache=True)
def room(capacity: int, state) -> Room:
    """Space for so many elements of a graph with such states."""
    return Room(
        np.empty(capacity, np.int32), np.empty(capacity, state.dtype), np.empty(capacity, np.int64),
        np.empty(capacity, np.int32), np.empty(capacity, np.int32), np.empty(capacity, np.int32),
        np.empty(capacity, state.dtype),
    )  # fmt: skip


@njit(cache=True)
def longer_room(old: Room, least: int, state) -> Room:
    """The same elements with space for at least `least`."""
    capacity = len(old.vertex)
    longer = room(max(2 * capacity, least), state)
    copy(old.vertex, longer.vertex[:capacity])
    copy(old.value, longer.value[:capacity])
    copy(old.arrival, longer.arrival[:capacity])
    copy(old.stream, longer.stream[:capacity])
    copy(old.pull, longer.pull[:capacity])
    copy(old.pull_value, longer.pull_value[:capacity])
    return longer


@njit(cache=True)
def reserve(p: int, task: int, queue, before: int, count: int, asked, ql: int, qr: int):
    """Slots for the elements from `before` to `count`, asked for once a queue by core p.

    asked: int64[stacks], the task that last asked each queue, written. Returns the wait for the slowest answer, and
    requests to its own and to other queues.
    """
    wait, near, far = 0, 0, 0
    for j in range(before, count):
        q = queue[j]
        if asked[q] != task:
            asked[q] = task
            near += q == p
            far += q != p
            wait = max(wait, ql if q == p else qr)
    return wait, near, far


@njit(cache=True)
def arrive(space: Room, count: int, head, tail, service: int, unique: bool, place):
    """Queues of the next level, in the order of (arrival, source, issue): what enters each takes `service` cycles.

    From one source to one queue elements arrive in the order of issue, so each queue merges `stacks` sorted streams.
    place: int32[n], where a vertex may stand in its hash set (`unique`); written. head, tail: int64[stacks], written:
    where each queue begins and ends in what is pulled. Returns the number of elements in all queues; the last finish
    (0: nothing arrived); words that the hash sets accessed.
    """
    of_vertex, of_value, of_arrival, of_stream = space.vertex, space.value, space.arrival, space.stream
    order, pull, pull_value = space.order, space.pull, space.pull_value
    stacks = len(head)
    at = np.zeros(stacks * stacks + 1, np.int64)
    for j in range(count):
        at[of_stream[j] + 1] += 1
    for k in range(stacks * stacks):
        at[k + 1] += at[k]
    slot = at[:-1].copy()
    for j in range(count):
        k = of_stream[j]
        order[slot[k]] = j
        slot[k] += 1
    total, last, words = 0, 0, 0
    turn, end, front = np.empty(stacks, np.int64), np.empty(stacks, np.int64), np.empty(stacks, np.int64)
    for q in range(stacks):
        head[q] = total
        finish = 0
        for p in range(stacks):
            turn[p], end[p] = at[q * stacks + p], at[q * stacks + p + 1]
            front[p] = of_arrival[order[turn[p]]] if turn[p] < end[p] else LARGEST
        left = at[(q + 1) * stacks] - at[q * stacks]
        while left > 0:
            first, second = _two_soonest(front)
            # What of the first stream comes before the second: mostly several in a row, of one task.
            until = front[second] + (1 if first < second else 0) if second >= 0 else LARGEST
            at_turn, at_end = turn[first], end[first]
            while at_turn < at_end:
                j = order[at_turn]
                if of_arrival[j] >= until:
                    break
                at_turn += 1
                finish = max(finish, of_arrival[j]) + service
                w, value = of_vertex[j], of_value[j]
                if unique:
                    words += 1
                    where = place[w]
                    if head[q] <= where < total and pull[where] == w:
                        if value < pull_value[where]:
                            pull_value[where] = value
                            words += 1
                        continue
                    place[w] = total
                    words += 1
                pull[total], pull_value[total] = w, value
                total += 1
            left -= at_turn - turn[first]
            turn[first] = at_turn
            front[first] = of_arrival[order[at_turn]] if at_turn < at_end else LARGEST
        tail[q] = total
        last = max(last, finish)
    return total, last, words


@njit(cache=True)
def _two_soonest(front):
    """The streams with the smallest and the second smallest arrival, the first of several; -1: no second stream."""
    first, second = 0, -1
    for p in range(1, len(front)):
        if front[p] < front[first]:
            first, second = p, first
        elif second < 0 or front[p] < front[second]:
            second = p
    return first, second
