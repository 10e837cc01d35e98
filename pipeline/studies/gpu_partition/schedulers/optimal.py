"""The partitions that need the fewest SMs of all, of up to 12 tasks; of more a lower bound on the SMs (ours)."""

import numpy as np

from pipeline.studies.gpu_partition.model import least_size
from pipeline.studies.gpu_partition.rules import allocate

EXACT_UP_TO = 12
COMPLEXITY = 5


@allocate
def rule(tasks, gpu, options, allocation):
    """The partitions that need the fewest SMs, over all partitions by subsets (3^n of them).

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
