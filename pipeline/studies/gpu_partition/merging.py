"""Partitions merged until they fit: Algorithms 1 to 3 of Zahaf et al. 2021, and what a choice of partners looks at.

Each task begins in a partition of its own, as small as its deadline allows (Lemma 2). While the partitions need more
SMs than there are, one of them, the first operand, takes in another where the union needs fewer SMs than the two.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from pipeline.studies.gpu_partition.model import holds, load

SMALLEST_UNION, LEAST_LOAD = 0, 1
"""Which partner comes first: that of the smallest union (>>, Definition 3), or of the union with the least load at the
larger of the two sizes (>, Definition 4, with the periods that its sum of execution times lacks)."""


@njit(cache=True)
def smallest_union(members, low, high, sizes, binary, work, beta, factor, kind, T, D, literal, policy, undecided):
    """Algorithm 2: position of the least of sizes[low:high] on which the members hold (`high`: none), and the tests."""
    tests = 0
    if not binary:
        for s in range(low, high):
            tests += 1
            if holds(members, sizes[s], work, beta, factor, kind, T, D, literal, policy, undecided):
                return s, tests
        return high, tests
    least, none = low, high
    while least < none:
        middle = (least + none) // 2
        tests += 1
        if holds(members, sizes[middle], work, beta, factor, kind, T, D, literal, policy, undecided):
            none = middle
        else:
            least = middle + 1
    return least, tests


@njit(cache=True)
def merge(
    alone, sizes, takes, available, rule, act, decreasing, binary, exhaust, of_tasks,
    work, beta, factor, kind, T, D, literal, policy, undecided,
):  # fmt: skip
    """Partitions of the tasks, numbered 0 … n - 1 alone and on from there as they are merged.

    alone: position in `sizes` of each task's own partition; takes: what each size takes of the `available` (see
    model.room); act: whether all pairs of tasks are tried first and those that fail kept apart; decreasing: order of
    the first operands by load; exhaust: whether merging goes on when the partitions fit; of_tasks: whether a failed
    merge keeps every pair of tasks of the two apart, or the two partitions only.

    Returns partition of each task, position in `sizes` of each partition (-1: merged away), merges, tests.
    """
    n = len(work)
    where = np.arange(n)
    size = np.full(2 * n, -1, np.int64)
    size[:n] = alone
    member = np.zeros((2 * n, n), np.int64)
    count = np.zeros(2 * n, np.int64)
    weight = np.zeros(2 * n)
    apart = np.zeros((n, n), np.bool_)  # pairs of tasks
    refused = np.zeros((2 * n, 2 * n), np.bool_)  # pairs of partitions
    for i in range(n):
        member[i, 0] = i
        count[i] = 1
        weight[i] = load(member[i, :1], sizes[size[i]], work, beta, factor, kind, T, literal)
    used, merges, tests = 0, 0, 0
    for i in range(n):
        used += takes[size[i]]
    union = np.empty(n, np.int64)
    if act:
        for i in range(n):
            for j in range(i + 1, n):
                union[0], union[1] = i, j
                low, high = _range(sizes, size[i], size[j])
                found, made = smallest_union(
                    union[:2], low, high, sizes, binary, work, beta, factor, kind, T, D, literal, policy, undecided
                )
                tests += made
                apart[i, j] = apart[j, i] = found == high
    last = n
    alive = np.arange(n)
    while exhaust or used > available:
        merged = False
        order = _ordered(alive, weight, decreasing)
        for first in order:
            eligible = _eligible(first, alive, refused, apart, member, count)
            if len(eligible) == 0:
                continue
            if rule == LEAST_LOAD:
                eligible = _by_load(
                    first, eligible, size, sizes, member, count, union, work, beta, factor, kind, T, literal
                )
            best, best_size, best_weight = -1, -1, 0.0
            for second in eligible:
                total = _unite(first, second, member, count, union)
                low, high = _range(sizes, size[first], size[second])
                found, made = smallest_union(
                    union[:total], low, high, sizes, binary, work, beta, factor, kind, T, D, literal, policy, undecided
                )
                tests += made
                if found == high:
                    refused[first, second] = refused[second, first] = True
                    if of_tasks:
                        for a in member[first, : count[first]]:
                            for b in member[second, : count[second]]:
                                apart[a, b] = apart[b, a] = True
                    continue
                heavy = load(union[:total], sizes[found], work, beta, factor, kind, T, literal)
                if best < 0 or found < best_size or (found == best_size and heavy < best_weight):
                    best, best_size, best_weight = second, found, heavy
                if rule == LEAST_LOAD:
                    break
            if best < 0:
                continue
            total = _unite(first, best, member, count, union)
            member[last, :total] = union[:total]
            count[last] = total
            size[last], weight[last] = best_size, best_weight
            used += takes[best_size] - takes[size[first]] - takes[size[best]]
            size[first] = size[best] = -1
            for i in union[:total]:
                where[i] = last
            alive = _without(alive, first, best, last)
            last += 1
            merges += 1
            merged = True
            break
        if not merged:
            break
    return where, size[:last], merges, tests


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
    union[: count[first]] = member[first, : count[first]]
    union[count[first] : total] = member[second, : count[second]]
    union[:total].sort()
    return total


@njit(cache=True)
def _ordered(alive, weight, decreasing):
    """Partitions by load, ties by number."""
    key = np.empty(len(alive))
    for j in range(len(alive)):
        key[j] = -weight[alive[j]] if decreasing else weight[alive[j]]
    return alive[np.argsort(key, kind="mergesort")]


@njit(cache=True)
def _eligible(first, alive, refused, apart, member, count):
    """Partitions that may be tried with the first operand, by number."""
    found = np.empty(len(alive), np.int64)
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
            found[n] = second
            n += 1
    return found[:n]


@njit(cache=True)
def _by_load(first, eligible, size, sizes, member, count, union, work, beta, factor, kind, T, literal):
    key = np.empty(len(eligible))
    for j in range(len(eligible)):
        second = eligible[j]
        total = _unite(first, second, member, count, union)
        larger = sizes[max(size[first], size[second])]
        key[j] = load(union[:total], larger, work, beta, factor, kind, T, literal)
    return eligible[np.argsort(key, kind="mergesort")]


@njit(cache=True)
def _without(alive, first, second, new):
    """The partitions less the two, and the new one, in ascending order."""
    left = np.empty(len(alive) - 1, np.int64)
    n = 0
    for p in alive:
        if p != first and p != second:
            left[n] = p
            n += 1
    left[n] = new
    return left
