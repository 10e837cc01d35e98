"""What a partition of a GPU makes of its tasks: execution times, conflicts, and whether all deadlines hold.

Source: Zahaf et al. 2021, Sections 4.2 and 7.1. Execution time of a task on m SMs: C(m) = k (a/m + b), with `work` a
its parallel part on one SM, b = beta a (mode `literal`) or beta a/m (mode `scaled`), k its conflict factor where
another task of its kind is in its partition, else 1.

`tasks` and `gpu` are as in rules.py, `members` positions of tasks in ascending order, `size` a position in gpu.sizes.
What a rule asks most is compiled into it: to pass on so many arrays takes a quarter of the time of a test.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from pipeline.gpus.mig import MIG_OFFERS, MIG_PARTS, MIG_SLICES, MIG_TAKES
from pipeline.studies.gpu_partition.model.fixed_priority import deadline_monotonic
from pipeline.studies.gpu_partition.model.non_preemptive import non_preemptive_edf
from pipeline.studies.gpu_partition.model.processor_demand import SCHEDULABLE, UNDECIDED, UNSCHEDULABLE, qpa

TOLERANCE = 1e-9
KINDS = ("compute", "memory")
SERIAL_FRACTION, CONFLICT_FACTOR = np.array([0.02, 0.1]), np.array([1.2, 2.3])
"""Of tasks that state none, by kind."""
EDF, NON_PREEMPTIVE_EDF, DM, NON_PREEMPTIVE_DM = range(4)
TESTS, GIVEN_UP, STEPS = range(3)
"""Positions in gpu.asked: tests of schedulability, those of them that were not decided, and the tasks gone over."""
MERGES, MOVES = range(2)
"""Positions in allocation.counts."""


@njit(cache=True)
def execution_time(work: float, beta: float, factor: float, sms: int, literal: bool) -> float:
    """C(m): run time on `sms` SMs."""
    return factor * (work / sms + beta * work) if literal else factor * (1 + beta) * work / sms


@njit(cache=True)
def conflicts(kind: np.ndarray, members: np.ndarray) -> np.ndarray:
    """Whether each member has another of its kind beside it."""
    count = np.zeros(2, np.int64)
    for i in members:
        count[kind[i]] += 1
    together = np.empty(len(members), np.bool_)
    for j in range(len(members)):
        together[j] = count[kind[members[j]]] > 1
    return together


@njit(cache=True, inline="always")
def load(tasks, gpu, members, size):
    """Sum of C(m)/T of the members of a partition, with their conflicts: above 1 they cannot be schedulable."""
    work, beta, factor, period = tasks.work, tasks.serial_fraction, tasks.conflict_factor, tasks.period
    sms, literal = gpu.sizes[size], gpu.literal
    total = 0.0
    together = conflicts(tasks.kind, members)
    for j in range(len(members)):
        i = members[j]
        total += execution_time(work[i], beta[i], factor[i] if together[j] else 1.0, sms, literal) / period[i]
    gpu.asked[STEPS] += len(members)
    return total


@njit(cache=True, inline="always")
def verdict(tasks, gpu, members, size):
    """Whether all deadlines hold in a partition: SCHEDULABLE, UNSCHEDULABLE or UNDECIDED. It is not counted."""
    work, beta, factor, period, deadline = (
        tasks.work, tasks.serial_fraction, tasks.conflict_factor, tasks.period, tasks.deadline,
    )  # fmt: skip
    sms, literal = gpu.sizes[size], gpu.literal
    n = len(members)
    C, T, D = np.empty(n), np.empty(n), np.empty(n)
    spent = gpu.asked[STEPS:]
    spent[0] += n
    together = conflicts(tasks.kind, members)
    total = 0.0
    for j in range(n):
        i = members[j]
        C[j] = execution_time(work[i], beta[i], factor[i] if together[j] else 1.0, sms, literal)
        T[j], D[j] = period[i], deadline[i]
        if C[j] > D[j] * (1 + TOLERANCE):
            return UNSCHEDULABLE
        total += C[j] / T[j]
    if total > 1 + TOLERANCE:
        return UNSCHEDULABLE
    if gpu.policy == EDF:
        return qpa(C, T, D, TOLERANCE, spent)
    if gpu.policy == NON_PREEMPTIVE_EDF:
        return non_preemptive_edf(C, T, D, TOLERANCE, spent)
    return deadline_monotonic(C, T, D, TOLERANCE, gpu.policy == DM, spent)


@njit(cache=True, inline="always")
def holds(tasks, gpu, members, size):
    """Whether all deadlines hold in a partition: one test more in gpu.asked. One that gives up counts as failed."""
    outcome = verdict(tasks, gpu, members, size)
    gpu.asked[TESTS] += 1
    if outcome == UNDECIDED:
        gpu.asked[GIVEN_UP] += 1
    return outcome == SCHEDULABLE


@njit(cache=True)
def least_size(tasks, gpu, members, low, high, binary):
    """Algorithm 2: the least of the sizes low … high - 1 on which the members hold; `high` where there is none.

    It bisects the sizes or walks them: a partition stays schedulable with more SMs.
    """
    if not binary:
        for size in range(low, high):
            if holds(tasks, gpu, members, size):
                return size
        return high
    least, none = low, high
    while least < none:
        middle = (least + none) // 2
        if holds(tasks, gpu, members, middle):
            none = middle
        else:
            least = middle + 1
    return least


@njit(cache=True)
def members_of(partition, number, members):
    """Write the tasks of the partition of this number into `members`, ascending; returns how many there are."""
    count = 0
    for i in range(len(partition)):
        if partition[i] == number:
            members[count] = i
            count += 1
    return count


@njit(cache=True)
def settle(partition, size, allocation):
    """Write partitions of any numbers to the allocation: each takes the number of its first task, size[p] its size."""
    first = np.full(len(size), -1, np.int64)
    for i, p in enumerate(partition):
        first[p] = i if first[p] < 0 else first[p]
        allocation.partition[i] = first[p]
        allocation.size[first[p]] = size[p]


@njit(cache=True)
def least_alone(sizes, work, beta, limit, literal):
    """Lemma 2: for each task the position in `sizes` (ascending) of the least on which C(m) <= limit; -1: none."""
    least = np.full(len(work), -1, np.int64)
    for i in range(len(work)):
        for s in range(len(sizes)):
            if execution_time(work[i], beta[i], 1.0, sizes[s], literal) <= limit[i] * (1 + TOLERANCE):
                least[i] = s
                break
    return least


def sizes(sms: int, mig: bool) -> np.ndarray:
    """Sizes that a partition may have, in SMs, ascending: all, or those of MIG's slices of a seventh each."""
    part = sms // MIG_PARTS
    return part * np.array(MIG_SLICES, np.int64) if mig else np.arange(1, sms + 1)


def room(sizes: np.ndarray, sms: int, mig: bool) -> tuple[np.ndarray, int]:
    """What a partition of each size takes of the GPU, and how much there is: SMs, or MIG_TAKES and MIG_OFFERS.

    Partitions fit beside each other exactly where they take no more than there is.
    """
    return (MIG_TAKES, MIG_OFFERS) if mig else (sizes, sms)
