"""Preemptive EDF on one processor by the processor demand, for sporadic tasks with any deadlines.

Sources: Baruah, Rosier, Howell, "Algorithms and complexity concerning the preemptive scheduling of periodic, real-time
tasks on one processor", 1990 (the criterion h(t) <= t and its bound); Zhang and Burns, "Schedulability analysis for
real-time systems with EDF scheduling", IEEE Trans. Computers 58(9), 2009 (QPA).

Tasks are three arrays: C execution time, T period (least time between releases), D relative deadline, in one unit of
time. `slack` is the relative tolerance of comparisons; with 0 and integers below 2^53 the arithmetic is exact. `spent`,
int64 (1), where it is given, counts the tasks that the sums of a test go over.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

UNSCHEDULABLE, SCHEDULABLE, UNDECIDED = 0, 1, -1
STEPS = 10_000_000
"""Steps after which an analysis gives up as undecided: sets loaded to the brim whose hyperperiod explodes."""


@njit(cache=True)
def utilisation(C: np.ndarray, T: np.ndarray) -> float:
    """Sum of C/T."""
    total = 0.0
    for i in range(len(C)):
        total += C[i] / T[i]
    return total


@njit(cache=True)
def demand(t: float, C: np.ndarray, T: np.ndarray, D: np.ndarray, slack: float) -> float:
    """Demand bound function h(t): work of all jobs that are released and due within an interval of length t."""
    total = 0.0
    for i in range(len(C)):
        jobs = math.floor((t - D[i]) / T[i] + slack) + 1
        if jobs > 0:
            total += jobs * C[i]
    return total


@njit(cache=True)
def deadline_before(t: float, T: np.ndarray, D: np.ndarray, slack: float) -> float:
    """The last absolute deadline before t of tasks released together at 0; -1 where there is none."""
    latest = -1.0
    for i in range(len(T)):
        if D[i] < t * (1 - slack):
            k = math.floor((t - D[i]) / T[i] + slack)
            due = D[i] + k * T[i]
            if due >= t * (1 - slack):
                due = D[i] + (k - 1) * T[i]
            latest = max(latest, due)
    return latest


@njit(cache=True)
def busy_period(C: np.ndarray, T: np.ndarray, slack: float) -> float:
    """Length of the longest busy period: all tasks released together; -1 where STEPS do not suffice."""
    length = C.sum()
    for _ in range(STEPS):
        work = 0.0
        for i in range(len(C)):
            work += math.ceil(length / T[i] - slack) * C[i]
        if work <= length * (1 + slack):
            return work
        length = work
    return -1.0


@njit(cache=True)
def horizon(C: np.ndarray, T: np.ndarray, D: np.ndarray, slack: float) -> float:
    """A time from which on h(t) <= t holds for certain, of a set with a utilisation of at most 1; -1: undecided."""
    load = utilisation(C, T)
    if load < 1 - 1e-12:
        largest, weighted = 0.0, 0.0
        for i in range(len(C)):
            largest = max(largest, D[i] - T[i])
            weighted += (T[i] - D[i]) * C[i] / T[i]
        bound = max(largest, weighted / (1 - load))
        if load < 0.999:
            return bound
        return bound if bound <= T.max() * 1000 else min_positive(bound, busy_period(C, T, slack))
    return busy_period(C, T, slack)


@njit(cache=True)
def min_positive(a: float, b: float) -> float:
    """The lesser, where the second is known."""
    return a if b < 0 else min(a, b)


@njit(cache=True)
def qpa(C: np.ndarray, T: np.ndarray, D: np.ndarray, slack: float, spent=None) -> int:
    """Quick processor-demand analysis: from the horizon down, t becomes h(t) or the deadline before it."""
    if len(C) == 0:
        return SCHEDULABLE
    if utilisation(C, T) > 1 + slack:
        return UNSCHEDULABLE
    bound = horizon(C, T, D, slack)
    if bound < 0:
        return UNDECIDED
    least = D.min()
    # At the bound itself no deadline is missed, but rounding may have put it too low.
    t = deadline_before(bound * (1 + 2 * slack), T, D, 0.0)
    for _ in range(STEPS):
        if t < least * (1 - slack):
            return SCHEDULABLE
        if spent is not None:
            spent[0] += len(C)
        due = demand(t, C, T, D, slack)
        if due > t * (1 + slack):
            return UNSCHEDULABLE
        if due <= least:
            return SCHEDULABLE
        if due < t * (1 - slack):
            t = due
            continue
        t = deadline_before(t, T, D, slack)
        if spent is not None:
            spent[0] += len(C)
    return UNDECIDED


@njit(cache=True)
def scan(C: np.ndarray, T: np.ndarray, D: np.ndarray, slack: float) -> int:
    """The same by looking at every absolute deadline up to the horizon: slow and plain."""
    if len(C) == 0:
        return SCHEDULABLE
    if utilisation(C, T) > 1 + slack:
        return UNSCHEDULABLE
    bound = horizon(C, T, D, slack)
    if bound < 0:
        return UNDECIDED
    due = D.copy()
    for _ in range(STEPS):
        first = due.argmin()
        t = due[first]
        if t > bound * (1 + slack):
            return SCHEDULABLE
        if demand(t, C, T, D, slack) > t * (1 + slack):
            return UNSCHEDULABLE
        due[first] += T[first]
    return UNDECIDED
