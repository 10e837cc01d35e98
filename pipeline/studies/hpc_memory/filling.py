"""Who gets how much along the order that a scheduler states (`rules.by_phase`, `rules.by_level`).

It is compiled into the engine: a call by its address passes on some 200 words, a fifth of an event and more.
"""

# ruff: noqa: ARG001 - these take what a rule `grant` takes

from __future__ import annotations

from numba import njit

from pipeline.studies.hpc_memory.rules import grant


@grant
def nothing(state, workload, machine, room, target_gb):
    """What the engine takes in place of a rule that it never calls."""


def needs(state, workload, machine, room, target_gb):
    """Needs of the current phases, in the scheduler's order (`state.running`), until memory is exhausted."""
    need_gb, available = state.need_gb, state.available_gb
    for slot in state.running:
        granted = min(need_gb[slot], available)
        target_gb[slot] = granted
        available -= granted


BEFORE = (0.98, 0.8, 0.0)
"""Parts of the way to the place at which memory was exhausted the last time, tried one after the other."""


@njit(cache=True)
def _sift_down(heap, size, root, place, level):
    while True:
        child = 2 * root + 1
        if child >= size:
            return
        if child + 1 < size and place[level[heap[child + 1]]] < place[level[heap[child]]]:
            child += 1
        if place[level[heap[root]]] <= place[level[heap[child]]]:
            return
        heap[root], heap[child] = heap[child], heap[root]
        root = child


def levels(state, workload, machine, room, target_gb):
    """Algorithm 1 of the paper: raise the job whose next level is first in order, until memory is exhausted.

    The order never decreases within a job. In the room: the slots that have a level left, and the next level of each.
    What comes well before the place at which memory was exhausted the last time is given at once, where there is as
    much: the order does not matter among levels that all are given.
    """
    running, job_of, first_level, level_gb, place = (
        state.running, state.job, workload.first_level, workload.level_gb, workload.place,
    )  # fmt: skip
    heap, level = room.whole[0], room.whole[1]
    exhausted_at, available = room.scheduler[0], -1.0
    for attempt in range(len(BEFORE)):
        available, bound = state.available_gb, BEFORE[attempt] * exhausted_at
        for slot in running:
            first, past = first_level[job_of[slot]], first_level[job_of[slot] + 1]
            # Where the last call left the job is near; where another job had the slot, it is no level of this one.
            next_level = level[slot] if first <= level[slot] <= past else first
            while next_level > first and place[next_level - 1] >= bound:
                next_level -= 1
            while next_level < past and place[next_level] < bound:
                next_level += 1
            level[slot] = next_level
            target_gb[slot] = level_gb[next_level - 1] if next_level > first else 0.0
            available -= target_gb[slot]
        if available >= 0.0:
            break
    size = 0
    for slot in running:
        if level[slot] < first_level[job_of[slot] + 1]:
            heap[size] = slot
            size += 1
    for root in range(size // 2 - 1, -1, -1):
        _sift_down(heap, size, root, place, level)
    room.scheduler[0] = len(place)
    while size > 0 and available > 0.0:
        slot = heap[0]
        upper = level_gb[level[slot]]
        rise = upper - target_gb[slot]
        if rise > available:
            target_gb[slot] += available
            room.scheduler[0] = place[level[slot]]
            return
        available -= rise
        target_gb[slot] = upper
        level[slot] += 1
        if level[slot] == first_level[job_of[slot] + 1]:
            size -= 1
            heap[0] = heap[size]
        _sift_down(heap, size, 0, place, level)
