"""What the cores enqueue in a level, and how it becomes the queues of the next."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit


class Issued(NamedTuple):
    """Elements in the order in which the cores' tasks took effect.

    vertex, value (candidate for its state) and arrival (cycle at the queue): int64; source and queue: int16, cores.
    """

    vertex: np.ndarray
    value: np.ndarray
    arrival: np.ndarray
    source: np.ndarray
    queue: np.ndarray


@njit(cache=True)
def room(capacity: int) -> Issued:
    """Space for so many elements."""
    return Issued(
        np.empty(capacity, np.int64), np.empty(capacity, np.int64), np.empty(capacity, np.int64),
        np.empty(capacity, np.int16), np.empty(capacity, np.int16),
    )  # fmt: skip


@njit(cache=True)
def longer_room(issued: Issued, count: int, least: int) -> Issued:
    """The same first `count` elements with space for at least `least`."""
    longer = room(max(2 * len(issued.vertex), least))
    longer.vertex[:count] = issued.vertex[:count]
    longer.value[:count] = issued.value[:count]
    longer.arrival[:count] = issued.arrival[:count]
    longer.source[:count] = issued.source[:count]
    longer.queue[:count] = issued.queue[:count]
    return longer


@njit(cache=True)
def arrive(issued: Issued, count: int, head, tail, service: int, unique: bool, place):
    """Queues of the next level, in the order of (arrival, source, issue): what enters each takes `service` cycles.

    From one source to one queue elements arrive in the order of issue, so each queue merges `stacks` sorted streams.
    place: int64[n], where a vertex may stand in its hash set (`unique`); written. head, tail: int64[stacks], written:
    where each queue begins and ends in what is returned. Returns vertices and values of all queues, one queue after
    another; the last finish (0: nothing arrived); words that the hash sets accessed.
    """
    # Arrays of a tuple are counted references: each use in a loop would pay for it.
    of_vertex, of_value, of_arrival = issued.vertex, issued.value, issued.arrival
    of_source, of_queue = issued.source, issued.queue
    stacks = len(head)
    never = np.iinfo(np.int64).max
    at = np.zeros(stacks * stacks + 1, np.int64)
    for j in range(count):
        at[of_queue[j] * stacks + of_source[j] + 1] += 1
    for k in range(stacks * stacks):
        at[k + 1] += at[k]
    slot = at[:-1].copy()
    order = np.empty(count, np.int64)
    for j in range(count):
        k = of_queue[j] * stacks + of_source[j]
        order[slot[k]] = j
        slot[k] += 1
    pull, pull_value = np.empty(count, np.int64), np.empty(count, np.int64)
    total, last, words = 0, 0, 0
    turn, end, front = np.empty(stacks, np.int64), np.empty(stacks, np.int64), np.empty(stacks, np.int64)
    for q in range(stacks):
        head[q] = total
        finish = 0
        for p in range(stacks):
            turn[p], end[p] = at[q * stacks + p], at[q * stacks + p + 1]
            front[p] = of_arrival[order[turn[p]]] if turn[p] < end[p] else never
        for _ in range(at[q * stacks], at[(q + 1) * stacks]):
            first = 0
            for p in range(1, stacks):
                if front[p] < front[first]:
                    first = p
            j = order[turn[first]]
            finish = max(finish, front[first]) + service
            turn[first] += 1
            front[first] = of_arrival[order[turn[first]]] if turn[first] < end[first] else never
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
        tail[q] = total
        last = max(last, finish)
    return pull[:total], pull_value[:total], last, words
