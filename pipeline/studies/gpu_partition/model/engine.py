"""A rule is asked for an allocation, and what it wrote is judged."""

from __future__ import annotations

import numpy as np
from numba import njit

from pipeline.studies.gpu_partition.model import STEPS, conflicts, members_of, verdict
from pipeline.studies.gpu_partition.model.processor_demand import SCHEDULABLE
from pipeline.studies.gpu_partition.rules import Gpu, Tasks


@njit(cache=True)
def run(rule, tasks, gpu, options, allocation):
    """Let the rule write the allocation.

    Returns the first task whose partition or size cannot be (-1: none), whether the set is schedulable as allocated,
    and of each task the partition, now numbered from 0 in the order of the first tasks (-1: none), its SMs, and whether
    another task of the same kind is in it; last the SMs of all partitions.
    """
    # The rule works on copies: what it writes there is not what it is judged by.
    rule(
        Tasks(
            tasks.work.copy(), tasks.serial_fraction.copy(), tasks.conflict_factor.copy(), tasks.kind.copy(),
            tasks.period.copy(), tasks.deadline.copy(), tasks.alone.copy(),
        ),
        Gpu(
            gpu.sms, gpu.sizes.copy(), gpu.takes.copy(), gpu.available, gpu.fitting, gpu.literal, gpu.policy, gpu.asked
        ),
        options,
        allocation,
    )  # fmt: skip
    steps = gpu.asked[STEPS]  # what follows is no part of the rule's analysis
    n = len(allocation.partition)
    number, sms, conflict = np.full(n, -1, np.int64), np.full(n, -1, np.int64), np.zeros(n, np.bool_)
    members = np.empty(n, np.int64)
    partitions, needed, taken, holds = 0, 0, 0, True
    for i, p in enumerate(allocation.partition):
        if p < -1 or p >= n or (p >= 0 and not 0 <= allocation.size[p] < len(gpu.sizes)):
            return i, False, number, sms, conflict, needed
        if p < 0 or number[i] >= 0:
            continue
        size = allocation.size[p]
        count = members_of(allocation.partition, p, members)
        number[members[:count]] = partitions
        sms[members[:count]] = gpu.sizes[size]
        against = conflicts(tasks.kind, members[:count])
        for j in range(count):
            conflict[members[j]] = against[j]
        partitions, needed, taken = partitions + 1, needed + gpu.sizes[size], taken + gpu.takes[size]
        # A task alone holds on the least size of Lemma 2 and on larger ones, others where the test says so.
        if holds and (count > 1 or size < tasks.alone[i]):
            holds = verdict(tasks, gpu, members[:count], size) == SCHEDULABLE
    gpu.asked[STEPS] = steps
    return -1, holds and taken <= gpu.available and number.min() >= 0, number, sms, conflict, needed
