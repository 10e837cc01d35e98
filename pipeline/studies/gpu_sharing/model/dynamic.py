"""Splits that are chosen again and again from measurements while the applications run (thesis, Section 6.3.2)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from pipeline.simulation.arrays import copy
from pipeline.simulation.rules import Floats, FloatTable, IntegerTable
from pipeline.studies.gpu_sharing.arrays import Problem, Replayed
from pipeline.studies.gpu_sharing.model import beside, equal
from pipeline.studies.gpu_sharing.model.asking import mix_of, room_for, uses_all
from pipeline.studies.gpu_sharing.model.moving import LONGEST_SAMPLE, Running, move

NEAR = 0.05
"""Share of the work under the final split from the beginning that counts as having arrived there (Figure 17)."""
MOST_ROUNDS = 64
"""Rounds after which an allocation counts as not converging; splits that come again end it long before."""
DYNAMIC_MEASURES = ("rounds", "converged", "realloc_cycles", "cycles_to_5_percent", "restarted_work")
"""Measures beside those of the final split, in the order of the columns that `allocate` writes."""


class History(NamedTuple):
    """Rounds of one mix: SMs and throughput of each application, shape (MOST_ROUNDS, k), and the cycle each begins."""

    split: IntegerTable
    throughput: FloatTable
    since: Floats


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
def deviates(throughput, split, profile):
    """Whether an application is further from its curve alone than one SM's worth of it."""
    for i in range(len(split)):
        alone = profile[i, split[i]]
        if abs(throughput[i] - alone) > alone / split[i]:
            return True
    return False


@njit(cache=True)
def allocate(rule, batch, s, from_profile, history, split, measures):
    """Rounds of one mix from its start to the end; returns their number, round 0 included, and whether all were sound.

    Writes the rounds to `history`, the last split to `split` and then `measures` (DYNAMIC_MEASURES). Where the rule
    does not use all SMs, what it chose is left in `split`.
    """
    a, b = batch.first_slot[s], batch.first_slot[s + 1]
    k, sms, gamma = b - a, batch.sms, batch.gamma[a:b]
    held, measured = batch.held[a:b], batch.measured[a:b]
    profile = batch.ipc[batch.curve[a:b]]
    pressure, block_cycles = batch.pressure[a:b], batch.block_cycles[a:b]
    expected, work, lost = np.empty_like(profile), np.zeros(k), np.zeros(k)
    running = Running(profile, pressure, gamma, block_cycles, batch.target[a:b], work, np.zeros(k), lost)
    batch.memory[:k] = 0.0
    if from_profile:
        split[:] = 0
        rule(mix_of(batch, s, 0, 0.0, profile, profile), split)
        if not uses_all(sms, split):
            return 0, False
    else:
        equal(sms, split)
    sample = min(LONGEST_SAMPLE, block_cycles.max())

    time, rounds, converged = 0.0, 0, 0.0
    while True:
        copy(split, held)
        for i in range(k):
            measured[i] = profile[i, held[i]]
        beside(measured, held, pressure, gamma, measured)
        copy(held, history.split[rounds])
        copy(measured, history.throughput[rounds])
        history.since[rounds] = time
        rounds += 1
        if from_profile and not deviates(measured, held, profile):
            converged = 1.0
            break
        predict(measured, held, profile[:, sms], expected)
        split[:] = 0
        rule(mix_of(batch, s, rounds, time, profile, expected), split)
        if not uses_all(sms, split):
            return rounds, False
        if np.array_equal(split, held):
            converged = 1.0
            break
        again = False
        for r in range(rounds):
            again = again or np.array_equal(split, history.split[r])
        if again or rounds == MOST_ROUNDS:
            copy(held, split)
            break
        for i in range(k):
            work[i] += measured[i] * sample
        time = move(held, split, time + sample, 0, batch.freeing[s], batch.migrate_cycles[s], running)

    near = 0.0
    for i in range(k):
        # |work + measured (t - time)| stays within NEAR of measured t from this t on.
        if measured[i] > 0:
            near = max(near, abs(work[i] / measured[i] - time) / NEAR)
    measures[0], measures[1], measures[2] = rounds - 1, converged, time
    measures[3] = max(near, time) if near > 0 else 0.0
    measures[4] = lost.sum()
    return rounds, True


@njit(cache=True)
def allocate_all(rule, which, batch, from_profile, split, throughput, measures):
    """Allocate the scenarios `which`: last split, its throughput and DYNAMIC_MEASURES to their places.

    Returns the scenario at which the rule did not use all SMs, or -1; for each round and slot, one scenario after the
    other, SMs, throughput and the cycle from which on; and where the rounds of each scenario begin (one more).
    """
    begin = np.zeros(len(which) + 1, np.int64)
    held_in, throughput_in, since_in = np.empty(1024, np.int64), np.empty(1024), np.empty(1024)
    used = 0
    for j, s in enumerate(which):
        a, b = batch.first_slot[s], batch.first_slot[s + 1]
        k = b - a
        history = History(np.empty((MOST_ROUNDS, k), np.int64), np.empty((MOST_ROUNDS, k)), np.empty(MOST_ROUNDS))
        rounds, sound = allocate(rule, batch, s, from_profile[s], history, split[a:b], measures[s])
        if not sound:
            return s, begin, held_in[:used], throughput_in[:used], since_in[:used]
        copy(batch.measured[a:b], throughput[a:b])
        needed = used + rounds * k
        held_in, throughput_in = room_for(needed, held_in), room_for(needed, throughput_in)
        since_in = room_for(needed, since_in)
        for r in range(rounds):
            for i in range(k):
                held_in[used], throughput_in[used] = history.split[r, i], history.throughput[r, i]
                since_in[used] = history.since[r]
                used += 1
        begin[j + 1] = used
    return -1, begin, held_in[:used], throughput_in[:used], since_in[:used]


def run(problem: Problem) -> Replayed:
    """Scenarios whose SMs are split again after each round."""
    batch = problem.batch(known_gamma=np.zeros(len(problem.curve)))
    split, throughput = np.zeros(len(batch.curve), np.int64), np.empty(len(batch.curve))
    measures = np.empty((len(problem.scenarios), len(DYNAMIC_MEASURES)))
    from_profile = (problem.scenarios["initial"] == "profile").to_numpy()
    rounds = []
    for rule, which in problem.rules():
        wrong, *history = allocate_all(rule.compiled(), which, batch, from_profile, split, throughput, measures)
        if wrong >= 0:
            raise problem.refusal(wrong, split)
        rounds.append(problem.rounds(which, *history))
    return Replayed(split, throughput, dict(zip(DYNAMIC_MEASURES, measures.T, strict=True)), rounds)
