"""Splits of all SMs among the applications of a mix, once and for all: every split is looked at (thesis, Section 6.1).

A policy's objective is compared with a tolerance, since interpolated throughputs round; ties go as docs/models says.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numba import njit

from pipeline.studies.gpu_sharing.arrays import Problem
from pipeline.studies.gpu_sharing.model import beside, unfairness

SMS = 16
"""SMs of a GPU, where a scenario states none (GTX 480, Table 1)."""
TIE = 1e-12
"""Values closer than this tie: absolute for unfairness and speed-ups, relative for sums of throughput."""
COOPERATIVE, EQUAL_COMPUTE, EQUAL_THROUGHPUT, EQUAL_SPEEDUP, MAX_FAIR, MAX = range(6)
POLICIES = {
    "cooperative": COOPERATIVE,
    "equal_compute": EQUAL_COMPUTE,
    "equal_throughput": EQUAL_THROUGHPUT,
    "equal_speedup": EQUAL_SPEEDUP,
    "max_fair_throughput": MAX_FAIR,
    "max_throughput": MAX,
}
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
def equal(sms, split):
    """As many SMs for each, the remainder one each to the last."""
    split[:] = sms // len(split)
    split[len(split) - sms % len(split) :] += 1


@njit(cache=True)
def following(split):
    """Make `split` the lexicographically next one with the same sum and no zero; False where it is the last."""
    k = len(split)
    behind = split[k - 1]
    for i in range(k - 2, -1, -1):
        # What stands behind i can give one away as long as each of them keeps one.
        if behind > k - 1 - i:
            split[i] += 1
            for j in range(i + 1, k - 1):
                split[j] = 1
            split[k - 1] = behind - 1 - (k - 2 - i)
            return True
        behind += split[i]
    return False


@njit(cache=True)
def choose(policy, ipc, cooperative, pressure, gamma, best):
    """The split that a policy chooses, to `best`, out of all splits in lexicographic order.

    ipc: throughput of each application of the mix on 0, 1, …, S SMs, shape (k, S + 1); cooperative: its throughput in
    cooperative multitasking; pressure and gamma: contention among them (0: none).
    """
    k, sms = len(best), ipc.shape[1] - 1
    if policy == COOPERATIVE:
        best[:] = sms
        return
    equal(sms, best)
    if policy == EQUAL_COMPUTE or k == 1:
        return
    split = np.ones(k, np.int64)
    split[k - 1] = sms - (k - 1)
    throughput = np.empty(k)
    alone = np.empty(k)
    least_unfair, its_total, largest_total = np.inf, -np.inf, -np.inf
    fair_found = False
    while True:
        for i in range(k):
            alone[i] = ipc[i, split[i]]
        if gamma > 0:
            beside(alone, split, pressure, gamma, throughput)
        else:
            throughput[:] = alone
        total = 0.0
        for value in throughput:
            total += value

        better = False
        if policy == MAX:
            better = total > largest_total + TIE * abs(largest_total) or largest_total < 0
        else:
            slowest = np.inf
            if policy != EQUAL_THROUGHPUT:
                for i in range(k):
                    throughput[i] /= cooperative[i]
                    slowest = min(slowest, throughput[i])
            if policy == MAX_FAIR and slowest >= 1.0 - TIE:
                better = not fair_found or total > largest_total + TIE * abs(largest_total)
                fair_found = True
            elif not fair_found:
                unfair = unfairness(throughput)
                if unfair < least_unfair - TIE or (
                    unfair <= least_unfair + TIE and total > its_total + TIE * abs(its_total)
                ):
                    least_unfair, its_total = unfair, total
                    best[:] = split
        if better:
            largest_total = total
            best[:] = split
        if not following(split):
            return


@njit(cache=True)
def summarise(split, throughput, cooperative, speedup, measures):
    """Speed-up of each application over `cooperative`, and the measures of a split, in the order of MEASURES."""
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
def measure(policy, split, ipc, cooperative, pressure, gamma, throughput, speedup, measures):
    """Throughput, speed-up and measures of a split, in the order of MEASURES."""
    k = len(split)
    if policy == COOPERATIVE:
        throughput[:] = cooperative
    else:
        alone = np.empty(k)
        for i in range(k):
            alone[i] = ipc[i, split[i]]
        beside(alone, split, pressure, gamma, throughput)
    summarise(split, throughput, cooperative, speedup, measures)


@njit(cache=True)
def run(policy, by_profile, gamma, first_slot, curve, ipc, pressure, split, throughput, speedup, measures):
    """Split the SMs of every scenario and measure the splits.

    One a scenario: policy (of POLICIES), by_profile (whether it looks at curves alone), gamma, first_slot (one more), a
    row of `measures`; one a slot: curve (row of ipc and pressure), and the results split, throughput and speedup.
    """
    sms = ipc.shape[1] - 1
    for s in range(len(policy)):
        a, b = first_slot[s], first_slot[s + 1]
        if a == b:
            measures[s] = np.nan
            continue
        its = ipc[curve[a:b]]
        its_pressure = pressure[curve[a:b]]
        cooperative = its[:, sms] / (b - a)
        choose(policy[s], its, cooperative, its_pressure, 0.0 if by_profile[s] else gamma[s], split[a:b])
        measure(
            policy[s], split[a:b], its, cooperative, its_pressure, gamma[s], throughput[a:b], speedup[a:b],
            measures[s],
        )  # fmt: skip


def replay(problem: Problem) -> dict[str, pl.DataFrame]:
    """Outcomes and metrics of splits that are chosen once."""
    slots = len(problem.curve)
    split, throughput, speedup = np.zeros(slots, np.int64), np.empty(slots), np.empty(slots)
    measures = np.empty((len(problem.scenarios), len(MEASURES)))
    run(
        np.array([POLICIES[name] for name in problem.stated("POLICY")]),
        problem.scenarios["decide_by"].to_numpy() == "profile",
        problem.scenarios["gamma"].to_numpy(), problem.first_slot, problem.curve, problem.ipc,
        problem.of_app["pressure"], split, throughput, speedup, measures,
    )  # fmt: skip
    return {
        "outcomes": problem.per_slot({"sms": split, "throughput": throughput, "speedup": speedup}),
        "metrics": problem.metrics(dict(zip(MEASURES, measures.T, strict=True))),
    }
