"""What a partition of a GPU makes of its tasks: execution times, conflicts, and whether all deadlines hold.

Source: Zahaf et al. 2021, Sections 4.2 and 7.1. Execution time of a task on m SMs: C(m) = k (a/m + b), with `work` a
its parallel part on one SM, b = beta a (mode `literal`) or beta a/m (mode `scaled`), k its conflict factor where
another task of its kind is in its partition, else 1.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from pipeline.studies.gpu_partition.fixed_priority import deadline_monotonic
from pipeline.studies.gpu_partition.non_preemptive import non_preemptive
from pipeline.studies.gpu_partition.processor_demand import SCHEDULABLE, UNDECIDED, qpa

TOLERANCE = 1e-9
KINDS = ("compute", "memory")
SERIAL_FRACTION = {"compute": 0.02, "memory": 0.1}
CONFLICT_FACTOR = {"compute": 1.2, "memory": 2.3}
EDF, NON_PREEMPTIVE_EDF, DM, NON_PREEMPTIVE_DM = range(4)
MIG_SLICES = (1, 2, 3, 4, 7)
MIG_PARTS = 7
MIG_TAKES = np.array([999, 1999, 3001, 3999, 7000])
MIG_OFFERS = 7000
"""What each slice takes of an A100, and what there is to take, in thousandths of a seventh.

Three sevenths come with four of its eight slices of memory, more than their share, which is why 3 + 3 + 1 are not to be
had; all other slices are that make seven sevenths or fewer. A seventh more or less than these sums counts 1000.
"""


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
    found = np.empty(len(members), np.bool_)
    for j in range(len(members)):
        found[j] = count[kind[members[j]]] > 1
    return found


@njit(cache=True)
def load(members, sms, work, beta, factor, kind, T, literal):
    """Sum of C(m)/T of the members of a partition of m SMs, with their conflicts."""
    total = 0.0
    together = conflicts(kind, members)
    for j in range(len(members)):
        i = members[j]
        k = factor[i] if together[j] else 1.0
        total += execution_time(work[i], beta[i], k, sms, literal) / T[i]
    return total


@njit(cache=True)
def holds(members, sms, work, beta, factor, kind, T, D, literal, policy, undecided):
    """Whether all deadlines hold in a partition of `sms` SMs.

    A test that gives up counts as one that fails, and one more in undecided[0].
    """
    n = len(members)
    C, period, deadline = np.empty(n), np.empty(n), np.empty(n)
    together = conflicts(kind, members)
    total = 0.0
    for j in range(n):
        i = members[j]
        C[j] = execution_time(work[i], beta[i], factor[i] if together[j] else 1.0, sms, literal)
        period[j], deadline[j] = T[i], D[i]
        if C[j] > D[i] * (1 + TOLERANCE):
            return False
        total += C[j] / T[i]
    if total > 1 + TOLERANCE:
        return False
    if policy == EDF:
        found = qpa(C, period, deadline, TOLERANCE)
    elif policy == NON_PREEMPTIVE_EDF:
        found = non_preemptive(C, period, deadline, TOLERANCE)
    else:
        found = deadline_monotonic(C, period, deadline, TOLERANCE, policy == DM)
    if found == UNDECIDED:
        undecided[0] += 1
    return found == SCHEDULABLE


@njit(cache=True)
def least_alone(sizes, work, beta, limit, literal):
    """Lemma 2: for each task the position in `sizes` (ascending) of the least on which C(m) <= limit; -1: none."""
    found = np.full(len(work), -1, np.int64)
    for i in range(len(work)):
        for s in range(len(sizes)):
            if execution_time(work[i], beta[i], 1.0, sizes[s], literal) <= limit[i] * (1 + TOLERANCE):
                found[i] = s
                break
    return found


def sizes(sms: int, mig: bool) -> np.ndarray:
    """Sizes that a partition may have, in SMs, ascending: all, or those of MIG's slices of a seventh each."""
    part = sms // MIG_PARTS
    return np.array([part * s for s in MIG_SLICES] if mig else range(1, sms + 1), np.int64)


def room(sizes: np.ndarray, sms: int, mig: bool) -> tuple[np.ndarray, int]:
    """What a partition of each size takes of the GPU, and how much there is: SMs, or MIG_TAKES and MIG_OFFERS.

    Partitions fit beside each other exactly where they take no more than there is.
    """
    return (MIG_TAKES, MIG_OFFERS) if mig else (sizes, sms)
