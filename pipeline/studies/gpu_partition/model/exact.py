"""The best partitions of few tasks, and a bound for many."""

from __future__ import annotations

import numpy as np
import scipy
from numba import njit

from pipeline.studies.gpu_partition.model import execution_time, least_size


@njit(cache=True)
def fewest_sms(tasks, gpu, allocation):
    """Write the partitions that need the fewest SMs, over all partitions by subsets (3^n of them), to the allocation.

    What is least is the sum of gpu.takes, and with it that of SMs. Tasks that hold on no size are in no partition.
    Where two need as many, the one whose partition of the first task is the lower subset counts.
    """
    n = len(tasks.work)
    whole = 1 << n
    none = gpu.fitting
    need = np.full(whole, none, np.int64)
    need[0] = 0
    members = np.empty(n, np.int64)
    for subset in range(1, whole):
        count, low = 0, 0
        for i in range(n):
            if subset >> i & 1:
                members[count] = i
                count += 1
                low = max(low, need[subset ^ (1 << i)])
        if low < none:  # a task more needs no less
            need[subset] = least_size(tasks, gpu, members[:count], low, none, True)
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
                total = gpu.takes[need[group]] + best[subset ^ group]
                if total <= best[subset]:
                    best[subset], chosen[subset] = total, group
            if part == 0:
                break
            part = (part - 1) & rest
    allocation.partition[:] = -1
    left = whole - 1
    while left and best[left] < infinite:
        group = chosen[left]
        first = -1
        for i in range(n):
            if group >> i & 1:
                first = i if first < 0 else first
                allocation.partition[i] = first
        allocation.size[first] = need[group]
        left ^= group


def lower_bound(tasks, gpu) -> float:
    """SMs that no partitions can do with less of: a linear program; `tasks` and `gpu` as in rules.py.

    Tasks are spread over partitions of each size, no partition is loaded above 1, no task is where it would be late
    alone, and a task takes no more of a size than there are partitions of it. Conflicts and deadlines are left out.
    """
    sizes = gpu.sizes[: gpu.fitting]
    n, m = len(tasks.work), len(sizes)
    task, size = np.meshgrid(np.arange(n), np.arange(m), indexing="ij")
    may = size >= tasks.alone[:, None]
    i, s = task[may], size[may]
    x = np.arange(len(i))
    C = np.array(
        [
            execution_time(tasks.work[a], tasks.serial_fraction[a], 1.0, sizes[b], gpu.literal)
            for a, b in zip(i, s, strict=True)
        ]
    )
    columns = len(x) + m
    once = scipy.sparse.coo_array((np.ones(len(x)), (i, x)), shape=(n, columns))
    loads = scipy.sparse.coo_array(
        (
            np.concatenate([C / tasks.period[i], -np.ones(m)]),
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
    solution = scipy.optimize.linprog(
        cost, scipy.sparse.vstack([loads, within]), np.zeros(m + len(x)), once, np.ones(n), method="highs"
    )
    if not solution.success:
        raise RuntimeError(f"the bound's linear program: {solution.message}")
    return float(solution.fun)
