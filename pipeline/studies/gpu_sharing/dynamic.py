"""Splits that are chosen again and again from measurements while the applications run (thesis, Section 6.3.2)."""

from __future__ import annotations

import numpy as np
import polars as pl
from numba import njit

from pipeline.studies.gpu_sharing.arrays import Problem
from pipeline.studies.gpu_sharing.model import beside
from pipeline.studies.gpu_sharing.splits import MEASURES, POLICIES, SMS, choose, equal, measure

__all__ = ["SMS", "replay"]

LONGEST_SAMPLE = 25_000.0
"""Cycles that a round samples at most (Section 6.3.2)."""
NEAR = 0.05
"""Share of the work under the final split from the beginning that counts as having arrived there (Figure 17)."""
MOST_ROUNDS = 64
"""Rounds after which an allocation counts as not converging; splits that come again end it long before."""
DYNAMIC_MEASURES = ("rounds", "converged", "realloc_cycles", "cycles_to_5_percent")
"""Measures beside those of the final split, in the order of the columns that `allocate` writes."""


@njit(cache=True)
def predict(throughput, split, isolated, predicted):
    """Throughput of each application on 0, 1, …, S SMs from its measurement on split SMs, to `predicted` (k, S + 1).

    Fewer SMs: the line through the origin; more: the line to the isolated throughput on all S.
    """
    sms = predicted.shape[1] - 1
    for i in range(len(split)):
        n = split[i]
        for m in range(sms + 1):
            if m <= n:
                predicted[i, m] = throughput[i] * m / n
            else:
                predicted[i, m] = throughput[i] + (isolated[i] - throughput[i]) * (m - n) / (sms - n)


@njit(cache=True)
def deviates(throughput, split, its):
    """Whether an application is further from its curve alone than one SM's worth of it."""
    for i in range(len(split)):
        profile = its[i, split[i]]
        if abs(throughput[i] - profile) > profile / split[i]:
            return True
    return False


@njit(cache=True)
def drain(old, new, now, block_cycles, its, pressure, gamma, work):
    """Move SMs from one split to the next after `now`, adding each application's work until the last; returns when.

    The j-th SM that an application on n gives up is free j block_cycles / n cycles later, and works until then. SMs go
    to their new owners in slot order, as they come free.
    """
    k = len(old)
    split = old.copy()
    given = np.zeros(k, np.int64)
    alone, throughput = np.empty(k), np.empty(k)
    time = now
    while True:
        donor, free = -1, np.inf
        for i in range(k):
            if split[i] > new[i]:
                when = now + (given[i] + 1) * block_cycles[i] / old[i]
                if when < free:
                    donor, free = i, when
        if donor < 0:
            return time
        for i in range(k):
            alone[i] = its[i, split[i]]
        beside(alone, split, pressure, gamma, throughput)
        for i in range(k):
            work[i] += throughput[i] * (free - time)
        time = free
        given[donor] += 1
        split[donor] -= 1
        for i in range(k):
            if split[i] < new[i]:
                split[i] += 1
                break


@njit(cache=True)
def allocate(policy, from_profile, gamma, its, pressure, block_cycles, split, history, measured, since, measures):
    """Rounds of one mix from its start to the end; returns their number, round 0 included.

    its: throughput alone, shape (k, S + 1). Writes the last split to `split`, and of each round its split, measured
    throughput and first cycle to a row of `history`, `measured` and `since`; then `measures` (DYNAMIC_MEASURES).
    """
    k, sms = len(split), its.shape[1] - 1
    isolated = its[:, sms]
    cooperative = isolated / k
    predicted = np.empty_like(its)
    alone, work = np.empty(k), np.zeros(k)
    if from_profile:
        choose(policy, its, cooperative, pressure, 0.0, split)
    else:
        equal(sms, split)
    sample = min(LONGEST_SAMPLE, block_cycles.max())

    time, rounds, converged = 0.0, 0, 0.0
    target = split.copy()
    while True:
        history[rounds], since[rounds] = split, time
        for i in range(k):
            alone[i] = its[i, split[i]]
        beside(alone, split, pressure, gamma, measured[rounds])
        rounds += 1
        if from_profile and not deviates(measured[rounds - 1], split, its):
            converged = 1.0
            break
        predict(measured[rounds - 1], split, isolated, predicted)
        choose(policy, predicted, cooperative, pressure, 0.0, target)
        if np.array_equal(target, split):
            converged = 1.0
            break
        again = False
        for r in range(rounds):
            again = again or np.array_equal(target, history[r])
        if again or rounds == len(history):
            break
        for i in range(k):
            work[i] += measured[rounds - 1, i] * sample
        time = drain(split, target, time + sample, block_cycles, its, pressure, gamma, work)
        split[:] = target

    near = 0.0
    for i in range(k):
        final = measured[rounds - 1, i]
        # |work + final (t - time)| stays within NEAR of final t from this t on.
        if final > 0:
            near = max(near, abs(work[i] / final - time) / NEAR)
    measures[0], measures[1], measures[2] = rounds - 1, converged, time
    measures[3] = max(near, time) if near > 0 else 0.0
    return rounds


@njit(cache=True)
def run(policy, from_profile, gamma, first_slot, curve, ipc, pressure, block_cycles, split, throughput, speedup,
        measures):  # fmt: skip
    """Allocate every scenario; arrays as in `splits.run`, with the columns of DYNAMIC_MEASURES after its own.

    Returns, one a round and slot of the scenarios in turn: slot (as in first_slot), round, SMs, throughput, its cycle.
    """
    sms = ipc.shape[1] - 1
    slot, number, size = np.empty(1024, np.int64), np.empty(1024, np.int64), np.empty(1024, np.int64)
    measured_at, held_from = np.empty(1024), np.empty(1024)
    used = 0
    for s in range(len(policy)):
        a, b = first_slot[s], first_slot[s + 1]
        k = b - a
        if k == 0:
            measures[s] = np.nan
            continue
        its = ipc[curve[a:b]]
        its_pressure = pressure[curve[a:b]]
        history = np.empty((MOST_ROUNDS, k), np.int64)
        measured, since = np.empty((MOST_ROUNDS, k)), np.empty(MOST_ROUNDS)
        rounds = allocate(
            policy[s], from_profile[s], gamma[s], its, its_pressure, block_cycles[curve[a:b]], split[a:b], history,
            measured, since, measures[s, len(MEASURES) :],
        )  # fmt: skip
        measure(
            policy[s], split[a:b], its, its[:, sms] / k, its_pressure, gamma[s], throughput[a:b], speedup[a:b],
            measures[s, : len(MEASURES)],
        )  # fmt: skip
        if used + rounds * k > len(slot):
            more = max(len(slot), rounds * k)
            slot, number = np.append(slot, np.empty(more, np.int64)), np.append(number, np.empty(more, np.int64))
            size = np.append(size, np.empty(more, np.int64))
            measured_at, held_from = np.append(measured_at, np.empty(more)), np.append(held_from, np.empty(more))
        for r in range(rounds):
            for i in range(k):
                slot[used], number[used], size[used] = a + i, r, history[r, i]
                measured_at[used], held_from[used] = measured[r, i], since[r]
                used += 1
    return slot[:used], number[:used], size[:used], measured_at[:used], held_from[:used]


def replay(problem: Problem) -> dict[str, pl.DataFrame]:
    """Outcomes and metrics of the last rounds, and all rounds."""
    slots = len(problem.curve)
    split, throughput, speedup = np.zeros(slots, np.int64), np.empty(slots), np.empty(slots)
    names = (*MEASURES, *DYNAMIC_MEASURES)
    measures = np.empty((len(problem.scenarios), len(names)))
    slot, number, size, measured, since = run(
        np.array([POLICIES[name] for name in problem.stated("POLICY")]),
        problem.scenarios["initial"].to_numpy() == "profile", problem.scenarios["gamma"].to_numpy(),
        problem.first_slot, problem.curve, problem.ipc, problem.of_app["pressure"], problem.of_app["block_cycles"],
        split, throughput, speedup, measures,
    )  # fmt: skip
    outcomes = problem.per_slot({"sms": split, "throughput": throughput, "speedup": speedup})
    rounds = outcomes.select("_scenario", "slot")[slot].with_columns(
        round=pl.Series(number), sms=pl.Series(size), throughput=pl.Series(measured), from_cycle=pl.Series(since)
    )
    return {
        "outcomes": outcomes,
        "metrics": problem.metrics(dict(zip(names, measures.T, strict=True))),
        "rounds": rounds,
    }
