"""First fit: each task goes into the first partition that can take it, grown if need be, else into one of its own."""

import numpy as np

from pipeline.studies.gpu_partition.model import least_size, members_of
from pipeline.studies.gpu_partition.rules import allocate

OPTIONS = ("order", "search")
COMPLEXITY = 2


@allocate
def rule(tasks, gpu, options, allocation):
    """Tasks in the order of their utilisation; the set fails where a task finds no SMs left."""
    partition, size = allocation.partition, allocation.size
    utilisation = (1 + tasks.serial_fraction) * tasks.work / tasks.period
    order = np.argsort(-utilisation if options.decreasing else utilisation, kind="mergesort")
    members = np.empty(len(order), np.int64)
    left = gpu.available
    for position, task in enumerate(order):
        placed = False
        for first in order[:position]:
            if partition[first] != first:  # partitions bear the number of the task that opened them
                continue
            partition[task] = first
            count = members_of(partition, first, members)
            room = left + gpu.takes[size[first]]
            high = np.searchsorted(gpu.takes, room, side="right")
            grown = least_size(tasks, gpu, members[:count], size[first], high, options.binary)
            if grown < high:
                left = room - gpu.takes[grown]
                size[first] = grown
                placed = True
                break
        if not placed:
            partition[task] = task
            left -= gpu.takes[size[task]]
            if left < 0:
                partition[:] = -1
                return
