"""The best partitions of few tasks, a bound for many, and partitions mended by moving tasks about."""

from __future__ import annotations

import numpy as np
import scipy
from numba import njit

from pipeline.studies.gpu_partition.merging import smallest_union
from pipeline.studies.gpu_partition.model import execution_time, load

MOST_TASKS = 12
"""Tasks up to which all partitions are weighed: 3^n of them."""


@njit(cache=True)
def fewest_sms(sizes, takes, work, beta, factor, kind, T, D, literal, policy, undecided):
    """Partitions of the tasks that need the fewest SMs, over all partitions, by subsets.

    takes: what each size takes of the GPU (see model.room); what is least is the sum of this, and with it that of SMs.
    Returns partition of each task, numbered by its first task, position in `sizes` of each (-1 for tasks that found
    none), and tests made. Where two need as many, the one whose partition of the first task is the lower subset counts.
    """
    n = len(work)
    whole = 1 << n
    none = len(sizes)
    need = np.full(whole, none, np.int64)
    need[0] = 0
    members = np.empty(n, np.int64)
    tests = 0
    for subset in range(1, whole):
        count, low = 0, 0
        for i in range(n):
            if subset >> i & 1:
                members[count] = i
                count += 1
                low = max(low, need[subset ^ (1 << i)])
        if low == none:
            continue  # a task more needs no less
        need[subset], made = smallest_union(
            members[:count], low, none, sizes, True, work, beta, factor, kind, T, D, literal, policy, undecided
        )
        tests += made
    infinite = np.iinfo(np.int64).max // 2
    best = np.full(whole, infinite, np.int64)
    chosen = np.zeros(whole, np.int64)
    best[0] = 0
    for subset in range(1, whole):
        lowest = subset & -subset
        rest = subset ^ lowest
        part = rest
        while True:  # all subsets with the lowest task
            group = part | lowest
            if need[group] < none and best[subset ^ group] < infinite:
                total = takes[need[group]] + best[subset ^ group]
                if total <= best[subset]:
                    best[subset], chosen[subset] = total, group
            if part == 0:
                break
            part = (part - 1) & rest
    where = np.full(n, -1, np.int64)
    size = np.full(n, -1, np.int64)
    left = whole - 1
    while left and best[left] < infinite:
        group = chosen[left]
        first = -1
        for i in range(n):
            if group >> i & 1:
                first = i if first < 0 else first
                where[i] = first
        size[first] = need[group]
        left ^= group
    return where, size, tests


def bound(
    sizes: np.ndarray, alone: np.ndarray, work: np.ndarray, beta: np.ndarray, T: np.ndarray, literal: bool
) -> float:
    """SMs that no partitions can do with less of: a linear program.

    Tasks are spread over partitions of each size, no partition is loaded above 1, no task is where it would be late
    alone, and a task takes no more of a size than there are partitions of it. Conflicts and deadlines are left out.
    """
    n, m = len(work), len(sizes)
    task, size = np.meshgrid(np.arange(n), np.arange(m), indexing="ij")
    may = size >= alone[:, None]
    i, s = task[may], size[may]
    x = np.arange(len(i))
    C = np.array([execution_time(work[a], beta[a], 1.0, sizes[b], literal) for a, b in zip(i, s, strict=True)])
    columns = len(x) + m
    once = scipy.sparse.coo_array((np.ones(len(x)), (i, x)), shape=(n, columns))
    loads = scipy.sparse.coo_array(
        (
            np.concatenate([C / T[i], -np.ones(m)]),
            (np.concatenate([s, np.arange(m)]), np.concatenate([x, len(x) + np.arange(m)])),
        ),
        shape=(m, columns),
    )
    within = scipy.sparse.coo_array(
        (
            np.concatenate([np.ones(len(x)), -np.ones(len(x))]),
            (np.concatenate([x, x]), np.concatenate([x, len(x) + s])),
        ),
        shape=(len(x), columns),
    )
    cost = np.concatenate([np.zeros(len(x)), sizes.astype(float)])
    found = scipy.optimize.linprog(
        cost, scipy.sparse.vstack([loads, within]), np.zeros(m + len(x)), once, np.ones(n), method="highs"
    )
    if not found.success:
        raise RuntimeError(f"the bound's linear program: {found.message}")
    return float(found.fun)


@njit(cache=True)
def mend(
    where, size, sizes, takes, available, budget, work, beta, factor, kind, T, D, literal, policy, undecided,
):  # fmt: skip
    """Tasks moved to another partition or to one of their own, or two exchanged, while that takes less of the GPU.

    takes: what each size takes of the `available` (see model.room). Where it takes as much, a step counts that lowers
    the load of the partitions, in SMs. Steps are tried in the order of the tasks, the first that is better is taken; it
    ends when none is, when the partitions fit, or after `budget` tests. Returns partition of each task, position in
    `sizes` of each, steps, tests.
    """
    n = len(work)
    where, size = where.copy(), _resized(size, n)
    steps, tests = 0, 0
    used = _used(size, takes)
    a, b = np.empty(n, np.int64), np.empty(n, np.int64)
    while used > available and tests < budget:
        better = False
        for i in range(n):
            for j in range(-1, n):
                # j = -1: to a partition of its own; else to that of j, or in exchange for it.
                for exchange in range(2):
                    p = where[i]
                    if j < 0:
                        q = _free(size)
                        if exchange or q < 0:
                            continue
                    else:
                        q = where[j]
                        if q == p or (exchange and j < i) or (not exchange and not _first(where, j)):
                            continue
                    na = _members(where, p, i, j if exchange else -1, a)
                    nb = _members(where, q, j if exchange else -1, i, b)
                    now = (takes[size[p]] if size[p] >= 0 else 0) + (takes[size[q]] if size[q] >= 0 else 0)
                    sa, ta, made = _least(
                        a[:na], now, sizes, takes, work, beta, factor, kind, T, D, literal, policy, undecided
                    )
                    tests += made
                    if sa == -2:
                        continue
                    left = now - (takes[sa] if sa >= 0 else 0)
                    sb, tb, made = _least(
                        b[:nb], left, sizes, takes, work, beta, factor, kind, T, D, literal, policy, undecided
                    )
                    tests += made
                    if sb == -2:
                        continue
                    then = (takes[sa] if sa >= 0 else 0) + (takes[sb] if sb >= 0 else 0)
                    if then > now:
                        continue
                    if then == now:
                        before = _weight(where, p, size, sizes, work, beta, factor, kind, T, literal, a)
                        before += _weight(where, q, size, sizes, work, beta, factor, kind, T, literal, b)
                        if ta + tb >= before * (1 - 1e-9):
                            continue
                    where[i] = q
                    if exchange:
                        where[j] = p
                    size[p], size[q] = sa, sb
                    used += then - now
                    steps += 1
                    better = True
                    if used <= available or tests >= budget:
                        return where, size, steps, tests
        if not better:
            break
    return where, size, steps, tests


@njit(cache=True)
def _resized(size, n):
    """Room for as many partitions as may ever be, one a task more than there are numbers."""
    room = np.full(len(size) + n, -1, np.int64)
    room[: len(size)] = size
    return room


@njit(cache=True)
def _used(size, takes):
    total = 0
    for s in size:
        total += takes[s] if s >= 0 else 0
    return total


@njit(cache=True)
def _free(size):
    for p in range(len(size)):
        if size[p] < 0:
            return p
    return -1


@njit(cache=True)
def _first(where, j):
    """Whether j is the first task of its partition: a move goes to a partition once."""
    return not np.any(where[:j] == where[j])


@njit(cache=True)
def _members(where, partition, without, added, into):
    n = 0
    for i in range(len(where)):
        if (where[i] == partition and i != without) or i == added:
            into[n] = i
            n += 1
    return n


@njit(cache=True)
def _weight(where, partition, size, sizes, work, beta, factor, kind, T, literal, into):
    n = _members(where, partition, -1, -1, into)
    if n == 0:
        return 0.0
    return load(into[:n], sizes[size[partition]], work, beta, factor, kind, T, literal) * sizes[size[partition]]


@njit(cache=True)
def _least(members, most, sizes, takes, work, beta, factor, kind, T, D, literal, policy, undecided):
    """Position of the least size that takes up to `most` on which the members hold (-1: no members; -2: none), its
    load in SMs, and tests made. Sizes on which the load exceeds 1 are not tested."""
    if len(members) == 0:
        return -1, 0.0, 0
    high = 0
    while high < len(sizes) and takes[high] <= most:
        high += 1
    low, top = 0, high
    while low < top:
        middle = (low + top) // 2
        if load(members, sizes[middle], work, beta, factor, kind, T, literal) <= 1 + 1e-9:
            top = middle
        else:
            low = middle + 1
    if low == high:
        return -2, 0.0, 0
    found, made = smallest_union(
        members, low, high, sizes, True, work, beta, factor, kind, T, D, literal, policy, undecided
    )
    if found == high:
        return -2, 0.0, made
    return found, load(members, sizes[found], work, beta, factor, kind, T, literal) * sizes[found], made
