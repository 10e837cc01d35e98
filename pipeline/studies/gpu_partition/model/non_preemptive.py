"""Non-preemptive EDF on one processor, for sporadic tasks in dense time.

Source: George, Rivierre, Spuri, "Preemptive and non-preemptive real-time uniprocessor scheduling", INRIA RR-2966, 1996,
after Jeffay, Stanat, Martel, 1991: with a utilisation of at most 1 a set is schedulable exactly when for each absolute
deadline t the demand and the longest job that may have begun just before, of a task due later, end by t:
h(t) + max {C_j : D_j > t} <= t.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from pipeline.simulation.arrays import stable_order
from pipeline.studies.gpu_partition.model.processor_demand import (
    SCHEDULABLE,
    STEPS,
    UNDECIDED,
    UNSCHEDULABLE,
    deadline_before,
    demand,
    horizon,
    utilisation,
)


@njit(cache=True)
def non_preemptive_edf(C: np.ndarray, T: np.ndarray, D: np.ndarray, slack: float, spent=None) -> int:
    """The criterion, by QPA within each stretch between two deadlines, where the blocking is one number."""
    n = len(C)
    if n == 0:
        return SCHEDULABLE
    if utilisation(C, T) > 1 + slack:
        return UNSCHEDULABLE
    bound = horizon(C, T, D, slack)
    if bound < 0:
        return UNDECIDED
    order = stable_order(D)
    blocking, above = 0.0, np.inf
    for position in range(n - 1, -1, -1):
        # Between this deadline and the next longer one, at `above`, it is the tasks with longer ones that block.
        start = D[order[position]]
        if start < above:
            top = position == n - 1
            t = deadline_before(bound * (1 + 2 * slack), T, D, 0.0) if top else deadline_before(above, T, D, slack)
            t = max(start, t)
            verdict = _stretch(t, start, blocking, C, T, D, slack, spent)
            if verdict != SCHEDULABLE:
                return verdict
            above = start
        blocking = max(blocking, C[order[position]])
    return SCHEDULABLE


@njit(cache=True)
def _stretch(t: float, start: float, blocking: float, C, T, D, slack: float, spent) -> int:
    for _ in range(STEPS):
        if t < start * (1 - slack):
            return SCHEDULABLE
        if spent is not None:
            spent[0] += len(C)
        due = demand(t, C, T, D, slack) + blocking
        if due > t * (1 + slack):
            return UNSCHEDULABLE
        t = due if due < t * (1 - slack) else deadline_before(t, T, D, slack)
    return UNDECIDED
