"""SMS, then tasks are moved and exchanged between partitions while that needs fewer SMs (ours)."""

import numpy as np
from numba import njit

from pipeline.studies.gpu_partition.model import MOVES, TESTS, least_size, load, settle
from pipeline.studies.gpu_partition.rules import allocate
from pipeline.studies.gpu_partition.schedulers._merging import merge

OPTIONS = ("forbidden", "order", "search", "stop", "forbidden_scope")
COMPLEXITY = 4

BUDGET = 20_000
"""Tests of schedulability after which local search takes no further step."""
NO_MEMBERS, NO_SIZE = -1, -2
"""In the place of a size: nothing is needed, nothing suffices."""


@allocate
def rule(tasks, gpu, options, allocation):
    """Merging as SMS has it, then tasks are moved and exchanged while that takes less of the GPU."""
    merge(tasks, gpu, options, allocation, False)
    mend(tasks, gpu, allocation, BUDGET)


@njit(cache=True)
def mend(tasks, gpu, allocation, budget):
    """Move tasks to another partition or to one of their own, or exchange two, while that takes less of the GPU.

    Where it takes as much, a step counts that lowers the load of the partitions, in SMs. Steps are tried in the order
    of the tasks, the first that is better is taken; it ends when none is, when the partitions fit, or after `budget`
    tests. The partitions and the number of steps are written to the allocation, which has those to begin with.
    """
    n = len(tasks.work)
    partition = allocation.partition.copy()
    size = np.full(2 * n, NO_MEMBERS, np.int64)  # a number is always free
    used, last = 0, gpu.asked[TESTS] + budget
    for p in partition:
        if size[p] == NO_MEMBERS:
            size[p] = allocation.size[p]
            used += gpu.takes[size[p]]
    a, b = np.empty(n, np.int64), np.empty(n, np.int64)
    allocation.counts[MOVES] = 0
    better = True
    while better and used > gpu.available and gpu.asked[TESTS] < last:
        better = False
        for i in range(n):
            for j in range(-1, n):
                # j = -1: to a partition of its own; else to that of j, or in exchange for it.
                for exchange in range(2):
                    p = partition[i]
                    if j < 0:
                        q = _free(size)
                        if exchange:
                            continue
                    else:
                        q = partition[j]
                        if q == p or (exchange and j < i) or (not exchange and not _first(partition, j)):
                            continue
                    na = _members(partition, p, i, j if exchange else -1, a)
                    nb = _members(partition, q, j if exchange else -1, i, b)
                    now = _taken(gpu, size[p]) + _taken(gpu, size[q])
                    size_a, load_a = _least(tasks, gpu, a[:na], now)
                    if size_a == NO_SIZE:
                        continue
                    size_b, load_b = _least(tasks, gpu, b[:nb], now - _taken(gpu, size_a))
                    if size_b == NO_SIZE:
                        continue
                    then = _taken(gpu, size_a) + _taken(gpu, size_b)
                    if then > now:
                        continue
                    if then == now:
                        before = 0.0
                        for whole in (p, q):
                            count = _members(partition, whole, -1, -1, a)
                            before += _load_in_sms(tasks, gpu, a[:count], size[whole])
                        if load_a + load_b >= before * (1 - 1e-9):
                            continue
                    partition[i] = q
                    if exchange:
                        partition[j] = p
                    size[p], size[q] = size_a, size_b
                    used += then - now
                    allocation.counts[MOVES] += 1
                    better = True
                    if used <= gpu.available or gpu.asked[TESTS] >= last:
                        settle(partition, size, allocation)
                        return
    settle(partition, size, allocation)


@njit(cache=True)
def _taken(gpu, size):
    return gpu.takes[size] if size >= 0 else 0


@njit(cache=True)
def _free(size):
    """A number that no partition has."""
    p = 0
    while size[p] >= 0:
        p += 1
    return p


@njit(cache=True)
def _first(partition, j):
    """Whether j is the first task of its partition: a move goes to a partition once."""
    return not np.any(partition[:j] == partition[j])


@njit(cache=True)
def _members(partition, number, without, added, members):
    """As model.members_of, less one task and with another (-1: none)."""
    count = 0
    for i in range(len(partition)):
        if (partition[i] == number and i != without) or i == added:
            members[count] = i
            count += 1
    return count


@njit(cache=True)
def _load_in_sms(tasks, gpu, members, size):
    return load(tasks, gpu, members, size) * gpu.sizes[size] if len(members) else 0.0


@njit(cache=True)
def _least(tasks, gpu, members, most):
    """The least size that takes up to `most` on which the members hold, or NO_MEMBERS, NO_SIZE, and the load in SMs.

    Sizes on which the load exceeds 1 are not tested.
    """
    if len(members) == 0:
        return NO_MEMBERS, 0.0
    high = 0
    while high < len(gpu.sizes) and gpu.takes[high] <= most:
        high += 1
    low, top = 0, high
    while low < top:
        middle = (low + top) // 2
        if load(tasks, gpu, members, middle) <= 1 + 1e-9:
            top = middle
        else:
            low = middle + 1
    size = least_size(tasks, gpu, members, low, high, True)
    return (size, _load_in_sms(tasks, gpu, members, size)) if size < high else (NO_SIZE, 0.0)
