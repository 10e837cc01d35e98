"""Splits of all SMs among the applications of a mix, once and for all (thesis, Section 6.1)."""

from __future__ import annotations

import numpy as np
from numba import njit

from pipeline.simulation.arrays import copy
from pipeline.studies.gpu_sharing.arrays import Problem, Replayed
from pipeline.studies.gpu_sharing.model import asking, beside


@njit(cache=True)
def measure(batch, split, throughput):
    """Throughput of every slot on its SMs beside the others; where each has all SMs, these take turns."""
    for s in range(len(batch.first_slot) - 1):
        a, b = batch.first_slot[s], batch.first_slot[s + 1]
        if split[a:b].min() == batch.sms:
            copy(batch.cooperative[a:b], throughput[a:b])
            continue
        for i in range(a, b):
            throughput[i] = batch.ipc[batch.curve[i], split[i]]
        beside(throughput[a:b], split[a:b], batch.pressure[a:b], batch.gamma[a:b], throughput[a:b])


def run(problem: Problem) -> Replayed:
    """Scenarios whose SMs are split once."""
    batch = problem.batch()
    split, throughput = np.zeros(len(batch.curve), np.int64), np.empty(len(batch.curve))
    for rule, which in problem.rules():
        asking.ask(rule.compiled(), which, batch, split)
    problem.require_all_used(split, or_in_turn=True)
    measure(batch, split, throughput)
    return Replayed(split, throughput, {})
