"""Measures of given splits: cooperative multitasking, speed-ups, unfairness; and what is known of applications."""

from __future__ import annotations

import numpy as np
from numba import njit

from pipeline.studies.gpu_sharing.arrays import Problem
from pipeline.studies.gpu_sharing.splits import MEASURES, summarise


@njit(cache=True)
def _measure_all(first_slot, split, throughput, cooperative, speedup, measures):
    for s in range(len(first_slot) - 1):
        a, b = first_slot[s], first_slot[s + 1]
        summarise(split[a:b], throughput[a:b], cooperative[a:b], speedup[a:b], measures[s])


def cooperative(problem: Problem) -> np.ndarray:
    """Throughput of each slot in cooperative multitasking: alone on all SMs, 1/k of the time."""
    return problem.ipc[problem.curve, problem.sms] / applications(problem)


def applications(problem: Problem) -> np.ndarray:
    """Applications of the mix of each slot."""
    lengths = np.diff(problem.first_slot)
    return np.repeat(lengths, lengths)


def sums(problem: Problem, values: np.ndarray) -> np.ndarray:
    """Sums over the slots of each scenario."""
    return np.add.reduceat(values, problem.first_slot[:-1])


def of_splits(problem: Problem, split: np.ndarray, throughput: np.ndarray) -> dict[str, np.ndarray]:
    """MEASURES of every scenario, from the SMs and throughput of its slots."""
    measures, speedup = np.empty((len(problem.scenarios), len(MEASURES))), np.empty(len(split))
    _measure_all(problem.first_slot, split, throughput, cooperative(problem), speedup, measures)
    return dict(zip(MEASURES, measures.T, strict=True))


def of_app(problem: Problem, column: str, default: float) -> np.ndarray:
    """A column of the table `apps` for each slot; `default` where it does not say."""
    values = problem.of_app.get(column)
    if values is None:
        return np.full(len(problem.curve), default)
    return np.where(np.isnan(values), default, values)[problem.curve]
