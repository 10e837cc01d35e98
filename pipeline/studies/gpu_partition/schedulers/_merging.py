"""Partitions merged until they fit: Algorithms 1 to 3 of Zahaf et al. 2021, and what a choice of partners looks at.

Each task begins in a partition of its own, as small as its deadline allows (Lemma 2). While the partitions need more
SMs than there are, one of them, the first operand, takes in another where the union needs fewer SMs than the two.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from pipeline.simulation.arrays import copy, stable_order
from pipeline.studies.gpu_partition.model import MERGES, least_size, load, settle


@njit(cache=True)
def merge(tasks, gpu, options, allocation, by_load):
    """Write the partitions that merging leaves, and how many merges that took, to the allocation.

    They are numbered 0 … n - 1 alone and on from there as they are merged. by_load: which partner comes first, that of
    the union with the least load at the larger of the two sizes (>, Definition 4, with the periods that its sum of
    execution times lacks), or, with False, that of the smallest union (>>, Definition 3).
    """
    n = len(tasks.work)
    partition = np.arange(n)
    size = np.full(2 * n, -1, np.int64)  # -1: merged away
    copy(tasks.alone, size[:n])
    member = np.zeros((2 * n, n), np.int64)
    count = np.zeros(2 * n, np.int64)
    weight = np.zeros(2 * n)
    apart = np.zeros((n, n), np.bool_)  # pairs of tasks
    refused = np.zeros((2 * n, 2 * n), np.bool_)  # pairs of partitions
    used = 0
    for i in range(n):
        member[i, 0] = i
        count[i] = 1
        weight[i] = load(tasks, gpu, member[i, :1], size[i])
        used += gpu.takes[size[i]]
    union = np.empty(n, np.int64)
    if options.act:
        for i in range(n):
            for j in range(i + 1, n):
                union[0], union[1] = i, j
                low, high = _range(gpu.sizes, size[i], size[j])
                least = least_size(tasks, gpu, union[:2], low, high, options.binary)
                apart[i, j] = apart[j, i] = least == high
    last = n
    alive = np.arange(n)
    while options.exhaust or used > gpu.available:
        merged = False
        for first in _ordered(alive, weight, options.decreasing):
            eligible = _eligible(first, alive, refused, apart, member, count)
            if len(eligible) == 0:
                continue
            if by_load:
                eligible = _by_load(tasks, gpu, first, eligible, size, member, count, union)
            best, best_size, best_weight = -1, -1, 0.0
            for second in eligible:
                total = _unite(first, second, member, count, union)
                low, high = _range(gpu.sizes, size[first], size[second])
                least = least_size(tasks, gpu, union[:total], low, high, options.binary)
                if least == high:
                    refused[first, second] = refused[second, first] = True
                    if options.of_tasks:
                        for a in member[first, : count[first]]:
                            for b in member[second, : count[second]]:
                                apart[a, b] = apart[b, a] = True
                    continue
                heavy = load(tasks, gpu, union[:total], least)
                if best < 0 or least < best_size or (least == best_size and heavy < best_weight):
                    best, best_size, best_weight = second, least, heavy
                if by_load:
                    break
            if best < 0:
                continue
            total = _unite(first, best, member, count, union)
            copy(union[:total], member[last, :total])
            count[last] = total
            size[last], weight[last] = best_size, best_weight
            used += gpu.takes[best_size] - gpu.takes[size[first]] - gpu.takes[size[best]]
            size[first] = size[best] = -1
            for i in union[:total]:
                partition[i] = last
            alive = np.append(alive[(alive != first) & (alive != best)], last)
            last += 1
            merged = True
            break
        if not merged:
            break
    settle(partition, size, allocation)
    allocation.counts[MERGES] = last - n


@njit(cache=True)
def _range(sizes, a, b):
    """Positions in `sizes` of those from the larger of two partitions up to, but without, the sum of both."""
    low = max(a, b)
    high = low
    while high < len(sizes) and sizes[high] < sizes[a] + sizes[b]:
        high += 1
    return low, high


@njit(cache=True)
def _unite(first, second, member, count, union):
    """Members of two partitions in ascending order, into `union`; their number."""
    total = count[first] + count[second]
    copy(member[first, : count[first]], union[: count[first]])
    copy(member[second, : count[second]], union[count[first] : total])
    union[:total].sort()
    return total


@njit(cache=True)
def _ordered(alive, weight, decreasing):
    """Partitions by load, ties by number."""
    key = np.empty(len(alive))
    for j in range(len(alive)):
        key[j] = -weight[alive[j]] if decreasing else weight[alive[j]]
    return alive[stable_order(key)]


@njit(cache=True)
def _eligible(first, alive, refused, apart, member, count):
    """Partitions that may be tried with the first operand, by number."""
    eligible = np.empty(len(alive), np.int64)
    n = 0
    for second in alive:
        if second == first or refused[first, second]:
            continue
        free = True
        for a in member[first, : count[first]]:
            for b in member[second, : count[second]]:
                if apart[a, b]:
                    free = False
                    break
            if not free:
                break
        if free:
            eligible[n] = second
            n += 1
    return eligible[:n]


@njit(cache=True)
def _by_load(tasks, gpu, first, eligible, size, member, count, union):
    """Partners by the load of the union at the larger of the two sizes, ties by number."""
    key = np.empty(len(eligible))
    for j in range(len(eligible)):
        second = eligible[j]
        total = _unite(first, second, member, count, union)
        key[j] = load(tasks, gpu, union[:total], max(size[first], size[second]))
    return eligible[stable_order(key)]
