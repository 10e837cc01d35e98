"""Tests of schedulability on one processor, here one partition: tasks = sequence of (C, T, D) -> bool.

C is the execution time, T the period (least time between releases), D the relative deadline, in one unit of time.
Where all numbers are integers the arithmetic is exact; otherwise comparisons have a relative tolerance of 1e-9.
Deadlines may exceed periods. All raise ValueError for a task that cannot be, and RuntimeError where a set loaded to the
brim is not decided within millions of steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral, Real

import numpy as np

from pipeline.studies.gpu_partition.model import fixed_priority, non_preemptive, processor_demand

TOLERANCE = 1e-9
Tasks = Sequence[tuple[float, float, float]]


def edf_qpa(tasks: Tasks) -> bool:
    """Preemptive EDF by quick processor-demand analysis (Zhang and Burns 2009)."""
    return _decided(processor_demand.qpa, tasks)


def edf_demand(tasks: Tasks) -> bool:
    """Preemptive EDF by the processor-demand criterion at every absolute deadline (Baruah, Rosier, Howell 1990)."""
    return _decided(processor_demand.scan, tasks)


def edf_non_preemptive(tasks: Tasks) -> bool:
    """Non-preemptive EDF of sporadic tasks in dense time (George, Rivierre, Spuri 1996)."""
    return _decided(non_preemptive.non_preemptive_edf, tasks)


def deadline_monotonic(tasks: Tasks, preemptive: bool = True) -> bool:
    """Fixed priorities by deadline, ties by position, by response times (Lehoczky 1990)."""
    return _decided(fixed_priority.deadline_monotonic, tasks, preemptive)


def _decided(test: Callable, tasks: Tasks, *options: bool) -> bool:
    C, T, D, slack = _arrays(tasks)
    verdict = test(C, T, D, slack, *options)
    if verdict == processor_demand.UNDECIDED:
        raise RuntimeError(
            f"{len(tasks)} tasks with a utilisation of {processor_demand.utilisation(C, T):.9f} are not decided within "
            f"{processor_demand.STEPS} steps; periods with a smaller hyperperiod, or a lower load, would be"
        )
    return verdict == processor_demand.SCHEDULABLE


def _arrays(tasks: Tasks) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """C, T, D as float64, and the tolerance: none where all are integers that float64 holds exactly."""
    exact = True
    for number, task in enumerate(tasks):
        if len(task) != 3:
            raise ValueError(f"task {number} has {len(task)} numbers; it must be (C, T, D)")
        for name, value, least in zip("CTD", task, (0, None, None), strict=True):
            right = isinstance(value, Real) and np.isfinite(value) and (value >= 0 if least == 0 else value > 0)
            if not right:
                raise ValueError(
                    f"task {number}: {name} is {value}; it must be {'at least' if least == 0 else 'above'} 0"
                )
        exact &= all(isinstance(value, Integral) and value < 2**31 for value in task)
    C, T, D = np.array([tuple(map(float, task)) for task in tasks], np.float64).reshape(-1, 3).T.copy()
    return C, T, D, 0.0 if exact else TOLERANCE
