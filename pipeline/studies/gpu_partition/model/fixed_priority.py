"""Deadline-monotonic fixed priorities on one processor, by response times.

Sources: Lehoczky, "Fixed priority scheduling of periodic task sets with arbitrary deadlines", 1990 (every job of the
level-i busy period); George, Rivierre, Spuri, INRIA RR-2966, 1996 (the same without preemption, here in dense time).
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from pipeline.simulation.arrays import stable_order
from pipeline.studies.gpu_partition.model.processor_demand import (
    SCHEDULABLE,
    STEPS,
    UNDECIDED,
    UNSCHEDULABLE,
    utilisation,
)

JOBS = 100_000
"""Jobs of one task in a busy period after which an analysis gives up as undecided."""


@njit(cache=True)
def deadline_monotonic(C: np.ndarray, T: np.ndarray, D: np.ndarray, slack: float, preemptive: bool, spent=None) -> int:
    """Whether every response time is at most the deadline; ties of deadlines go to the earlier task."""
    n = len(C)
    if utilisation(C, T) > 1 + slack:
        return UNSCHEDULABLE
    order = stable_order(D)
    for level in range(n):
        task = order[level]
        blocking = 0.0
        if not preemptive:
            for j in range(level + 1, n):
                blocking = max(blocking, C[order[j]])
        busy = _busy(order[: level + 1], blocking, C, T, slack)
        if busy < 0:
            return UNDECIDED
        jobs = math.ceil(busy / T[task] - slack)
        if preemptive and D[task] <= T[task]:
            jobs = 1  # the first job has the longest response time if it ends before the second is released
        if jobs > JOBS:
            return UNDECIDED
        if spent is not None:
            spent[0] += (jobs + 1) * (level + 1)  # the busy period, and each job of it
        for job in range(jobs):
            end = _end(job, task, order[:level], blocking, C, T, slack, preemptive)
            if end < 0:
                return UNDECIDED
            if end - job * T[task] > D[task] * (1 + slack):
                return UNSCHEDULABLE
    return SCHEDULABLE


@njit(cache=True)
def _busy(tasks: np.ndarray, blocking: float, C: np.ndarray, T: np.ndarray, slack: float) -> float:
    """Length of the longest busy period of the tasks after a job of lower priority; -1: undecided."""
    length = blocking
    for i in tasks:
        length += C[i]
    for _ in range(STEPS):
        work = blocking
        for i in tasks:
            work += math.ceil(length / T[i] - slack) * C[i]
        if work <= length * (1 + slack):
            return length
        length = work
    return -1.0


@njit(cache=True)
def _end(
    job: int,
    task: int,
    higher: np.ndarray,
    blocking: float,
    C: np.ndarray,
    T: np.ndarray,
    slack: float,
    preemptive: bool,
) -> float:
    """End of a job of the busy period, numbered from 0, since the period's begin; -1: undecided.

    Without preemption it is the start that tasks of higher priority delay, by what is released no later.
    """
    own = (job + 1) * C[task] if preemptive else job * C[task]
    length = blocking + own
    for _ in range(STEPS):
        work = blocking + own
        for i in higher:
            if preemptive:
                work += math.ceil(length / T[i] - slack) * C[i]
            elif blocking > 0:
                # The blocking job began a moment before: the start is a moment before `length`, too.
                work += math.ceil(length / T[i] - slack) * C[i]
            else:
                work += (math.floor(length / T[i] + slack) + 1) * C[i]
        if work <= length * (1 + slack):
            return length if preemptive else length + C[task]
        length = work
    return -1.0
