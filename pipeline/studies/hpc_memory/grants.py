"""Memory granted along an order until it is exhausted: to current needs, or level by level of the profiles."""

from __future__ import annotations

from numba import njit

EPSILON_GB = 1e-6
"""A target that moves by no more than this has not changed."""


@njit(cache=True)
def grant_phases(active, running, place, need_gb, memory_gb, target_gb):
    """Current needs in the order of their places until memory is exhausted. Sorts `active` by place."""
    for i in range(1, running):
        slot = active[i]
        key = place[slot]
        j = i - 1
        while j >= 0 and place[active[j]] > key:
            active[j + 1] = active[j]
            j -= 1
        active[j + 1] = slot
    available = memory_gb
    for i in range(running):
        slot = active[i]
        granted = min(need_gb[slot], available)
        target_gb[slot] = granted
        available -= granted


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


@njit(cache=True)
def grant_levels(active, running, job_of, workload, place, memory_gb, target_gb, heap, level):
    """Algorithm 1 of the paper: raise the job whose next level is first in order, until memory is exhausted.

    `heap` and `level` are room for one integer a slot: the slots that have a level left, and their next level.
    """
    size = 0
    for i in range(running):
        slot = active[i]
        target_gb[slot] = 0.0
        level[slot] = workload.first_level[job_of[slot]]
        if level[slot] < workload.first_level[job_of[slot] + 1]:
            heap[size] = slot
            size += 1
    for root in range(size // 2 - 1, -1, -1):
        _sift_down(heap, size, root, place, level)
    available = memory_gb
    while size > 0 and available > 0.0:
        slot = heap[0]
        upper = workload.level_gb[level[slot]]
        rise = upper - target_gb[slot]
        if rise > available:
            target_gb[slot] += available
            return
        available -= rise
        target_gb[slot] = upper
        level[slot] += 1
        if level[slot] == workload.first_level[job_of[slot] + 1]:
            size -= 1
            heap[0] = heap[size]
        _sift_down(heap, size, 0, place, level)
