"""What scenarios of several families are measured by: cooperative multitasking, speed-ups, unfairness."""

from __future__ import annotations

import numpy as np
from numba import njit

from pipeline.studies.gpu_sharing.arrays import Problem
from pipeline.studies.gpu_sharing.model import unfairness

MEASURES = (
    "system_speedup",
    "least_speedup",
    "total_throughput",
    "unfairness_sms",
    "unfairness_throughput",
    "unfairness_speedup",
)
"""Measures of a split, in the order of the columns that `measure` writes."""


@njit(cache=True)
def measure(split, throughput, cooperative, speedup, measures):
    """Speed-up of each application over `cooperative`, and the measures of a split in the order of MEASURES."""
    total, baseline, slowest = 0.0, 0.0, np.inf
    for i in range(len(split)):
        speedup[i] = throughput[i] / cooperative[i]
        total += throughput[i]
        baseline += cooperative[i]
        slowest = min(slowest, speedup[i])
    measures[0], measures[1], measures[2] = total / baseline, slowest, total
    measures[3] = unfairness(split)
    measures[4] = unfairness(throughput)
    measures[5] = unfairness(speedup)


@njit(cache=True)
def _measure_all(first_slot, split, throughput, cooperative, speedup, measures):
    for s in range(len(first_slot) - 1):
        a, b = first_slot[s], first_slot[s + 1]
        measure(split[a:b], throughput[a:b], cooperative[a:b], speedup[a:b], measures[s])


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
