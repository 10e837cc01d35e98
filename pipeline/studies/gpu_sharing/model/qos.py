"""Quality of service: SMs of applications with a target, at once or by rounds of resizing (thesis, Chapter 5).

Model: docs/models/gpu_sharing-qos.md.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from pipeline.simulation.arrays import copy
from pipeline.studies.gpu_sharing.arrays import Problem, Replayed, targets
from pipeline.studies.gpu_sharing.model import TIE, give_spare, meets, slowdown
from pipeline.studies.gpu_sharing.model.asking import Batch, ask, mix_of, room_for
from pipeline.studies.gpu_sharing.model.moving import LONGEST_SAMPLE, Running, move, run_for
from pipeline.studies.gpu_sharing.rules import split as splitting

MOST_ROUNDS = 8
"""Rounds for each SM and application of a mix after which resizing ends, wherever it has come to."""
ROUND_MEASURES = ("realloc_cycles", "violation_cycles", "restarted_work")
"""What the rounds cost, in the order of the columns that `resize` writes."""


@njit(cache=True)
def measure(batch, s, split, throughput):
    """Throughput of the slots of scenario s side by side; split and throughput are those of all scenarios."""
    a, b = batch.first_slot[s], batch.first_slot[s + 1]
    for i in range(a, b):
        alone = batch.ipc[batch.curve[i], split[i]]
        throughput[i] = alone / slowdown(a, b, i, batch.gamma, batch.pressure, split)


@njit(cache=True)
def measure_all(batch, split):
    """Throughput of every slot, side by side."""
    throughput = np.zeros(len(split))
    for s in range(len(batch.first_slot) - 1):
        measure(batch, s, split, throughput)
    return throughput


@njit(cache=True)
def is_sound(sms, gives_spare, target, split):
    """Whether each with a target has an SM at least, others none but spare ones, and all together no more than all."""
    total = 0
    for i in range(len(split)):
        if split[i] < (1 if target[i] > 0.0 else 0) or (split[i] > 0 and target[i] <= 0.0 and not gives_spare):
            return False
        total += min(split[i], sms + 1)
    return total <= sms


@njit(cache=True)
def complete(batch, which, split):
    """Give spare SMs away in the scenarios `which`; returns the first whose split cannot be, or -1."""
    for s in which:
        a, b = batch.first_slot[s], batch.first_slot[s + 1]
        if not is_sound(batch.sms, batch.gives_spare[s], batch.target[a:b], split[a:b]):
            return s
        give_spare(batch.sms, batch.gives_spare[s], batch.target[a:b], split[a:b])
    return -1


@njit(cache=True)
def starting_sizes(sms, from_all, target, split):
    """SMs of the applications with a target before the first round: half of all or all of them, shared evenly."""
    count, last = 0, -1
    for i in range(len(split)):
        if target[i] > 0.0:
            count += 1
            last = i
    for i in range(len(split)):
        split[i] = 0
        if target[i] > 0.0:
            split[i] = sms // count if from_all else sms // max(2, count)
    if from_all:
        split[last] += sms % count


@njit(cache=True)
def resize(rule, which, batch, from_all, split, throughput, measures):
    """Rounds of measuring and resizing of the scenarios `which`, until nothing changes (Section 5.4).

    from_all: one per scenario. Writes the last SMs and throughput to `split` and `throughput`, and each scenario's
    ROUND_MEASURES to `measures`. Returns the scenario at which the rule's choice, left in `split`, cannot be, or -1;
    where the rounds of each scenario begin (one more); and for each round, the start included, and each slot in order:
    SMs, throughput and the cycle from which on.
    """
    begin = np.zeros(len(which) + 1, np.int64)
    held_in, throughput_in, since_in = np.empty(1024, np.int64), np.empty(1024), np.empty(1024)
    used = 0
    for j, s in enumerate(which):
        a, b = batch.first_slot[s], batch.first_slot[s + 1]
        k, sms, target, gives = b - a, batch.sms, batch.target[a:b], batch.gives_spare[s]
        held, choice = batch.held[a:b], split[a:b]
        profile = batch.ipc[batch.curve[a:b]]
        work, below, again, after = np.zeros(k), np.zeros(k), np.zeros(k), np.empty(k)
        running = Running(
            profile, batch.pressure[a:b], batch.gamma[a:b], batch.block_cycles[a:b], target, work, below, again
        )
        sample, time = min(LONGEST_SAMPLE, batch.block_cycles[a:b].max()), 0.0
        batch.memory[:k] = 0.0
        starting_sizes(sms, from_all[s], target, choice)
        give_spare(sms, gives, target, choice)
        rounds, changed = 0, True
        while changed:
            copy(choice, held)
            measure(batch, s, batch.held, batch.measured)
            held_in, throughput_in = room_for(used + k, held_in), room_for(used + k, throughput_in)
            since_in = room_for(used + k, since_in)
            since_in[used : used + k] = time
            copy(held, held_in[used : used + k])
            copy(batch.measured[a:b], throughput_in[used : used + k])
            run_for(sample, batch.held[a:b], running, after)
            used += k
            rounds += 1
            if rounds > MOST_ROUNDS * k * sms:
                break
            choice[:] = 0
            rule(mix_of(batch, s, rounds, time + sample, profile, profile), choice)
            if not is_sound(sms, gives, target, choice):
                return s, begin, held_in[:used], throughput_in[:used], since_in[:used]
            give_spare(sms, gives, target, choice)
            changed = False
            for i in range(k):
                changed |= choice[i] != held[i]
            if changed:
                idle = sms - held.sum()
                time = move(held, choice, time + sample, idle, batch.freeing[s], batch.migrate_cycles[s], running)
        copy(batch.measured[a:b], throughput[a:b])
        measures[s, 0], measures[s, 1], measures[s, 2] = time, below.sum(), again.sum()
        begin[j + 1] = used
    return -1, begin, held_in[:used], throughput_in[:used], since_in[:used]


def run_once(problem: Problem) -> Replayed:
    """Scenarios whose rule is asked once."""
    batch = _batch(problem)
    split, least_sms = _fewest(problem, batch)
    as_measured = np.add.reduceat(batch.known_gamma != batch.gamma, batch.first_slot[:-1]) == 0
    for rule, which in problem.rules():
        # What a rule that gives the fewest would say is there already.
        asked = which[~as_measured[which]] if "fewest" in vars(rule) else which
        ask(rule.compiled(), asked, batch, split)
    wrong = complete(batch, np.arange(len(problem.scenarios)), split)
    if wrong >= 0:
        raise problem.refusal(wrong, split)
    throughput = measure_all(batch, split)
    values = _measures(problem, batch, split, throughput)
    values["least_sms"] = least_sms
    values |= dict.fromkeys(("rounds", "violations", *ROUND_MEASURES), np.full(len(least_sms), np.nan))
    return Replayed(split, throughput, values)


def run_rounds(problem: Problem) -> Replayed:
    """Scenarios whose rule is asked again after each round."""
    batch = _batch(problem)
    _, least_sms = _fewest(problem, batch)
    split, throughput = np.zeros(len(batch.curve), np.int64), np.zeros(len(batch.curve))
    from_all = (problem.scenarios["start"] == "all").to_numpy()
    (count, violations), frames = np.empty((2, len(least_sms))), []
    measures = np.empty((len(least_sms), len(ROUND_MEASURES)))
    for rule, which in problem.rules():
        wrong, begin, held_in, throughput_in, since_in = resize(
            rule.compiled(), which, batch, from_all, split, throughput, measures
        )
        if wrong >= 0:
            raise problem.refusal(wrong, split)
        _, row, number = problem.recorded(which, begin)
        missed = (batch.target[row] > 0) & (throughput_in < batch.target[row] * (1 - TIE))
        violations[which] = np.diff(np.append(0, np.cumsum(missed))[begin])
        count[which] = number[begin[1:] - 1]
        frames.append(problem.rounds(which, begin, held_in, throughput_in, since_in))
    values = _measures(problem, batch, split, throughput)
    values |= {"least_sms": least_sms, "rounds": count, "violations": violations}
    values |= dict(zip(ROUND_MEASURES, measures.T, strict=True))
    return Replayed(split, throughput, values, frames)


def _batch(problem: Problem) -> Batch:
    """The scenarios with their targets; raises ValueError where several applications have MIG slices."""
    if problem.mig and problem.applications.max() > 1:
        s = int(np.argmax(problem.applications > 1))
        raise ValueError(
            f"scenario {problem.scenarios['scenario_id'][s]!r}: of sizes mig a mix with a target has one application, "
            f"not {problem.applications[s]}"
        )
    target = targets(problem)
    others = problem.sums(target <= 0)
    return problem.batch(
        target=target,
        gamma=problem.spread("gamma") * problem.of_apps("sensitivity", 1.0),
        gives_spare=(problem.scenarios["spare"] == "best_effort").to_numpy() & (others > 0),
        midpoint=problem.scenarios["midpoint"].to_numpy().astype(bool),
    )


@njit(cache=True)
def fewest(mix, sms):
    """Write the fewest SMs with which all targets are met, of all allocations (thesis, Section 5.2).

    Ties go to the lexicographically first. Where no allocation meets all: the one whose worst throughput over target is
    best, then the fewest SMs.
    """
    k, S, target = len(sms), mix.sms, mix.target
    expected, gamma, pressure, gives_spare = mix.expected, mix.gamma, mix.pressure, mix.gives_spare
    size, with_spare, total = np.zeros(k, np.int64), np.zeros(k, np.int64), 0
    for i in range(k):
        size[i] = 1 if target[i] > 0 else 0
        total += size[i]
    feasible, least, best_worst, best_total = False, S + 1, -1.0, S + 1
    while True:
        if total <= S:
            copy(size, with_spare)
            give_spare(S, gives_spare, target, with_spare)
            worst, every = np.inf, True
            for i in range(k):
                if target[i] > 0:
                    throughput = expected[i, size[i]] / slowdown(0, k, i, gamma, pressure, with_spare)
                    every &= meets(throughput, target[i])
                    worst = -np.inf if np.isnan(throughput) else min(worst, throughput / target[i])
            better = total < least if every else (
                not feasible and (worst > best_worst * (1 + TIE)
                                  or (worst >= best_worst * (1 - TIE) and total < best_total))
            )  # fmt: skip
            if better:
                copy(size, sms)
                if every:
                    feasible, least = True, total
                else:
                    best_worst, best_total = max(worst, best_worst), total
        # The next vector in lexicographic order: a slot counts up to what the others leave, then starts again at 1.
        i = k - 1
        while i >= 0 and (size[i] == 0 or total >= min(S, least)):
            if size[i] > 0:
                total -= size[i] - 1
                size[i] = 1
            i -= 1
        if i < 0:
            return
        size[i] += 1
        total += 1


@splitting
def _least(mix, sms):
    fewest(mix, sms)


def _fewest(problem: Problem, batch: Batch) -> tuple[np.ndarray, np.ndarray]:
    """SMs of each slot by `fewest` from throughput side by side; the sum of those with a target, NaN if one is
    missed.
    """
    batch, everything = batch._replace(known_gamma=batch.gamma), np.arange(len(problem.scenarios))
    split = np.zeros(len(batch.curve), np.int64)
    ask(_least.compiled(), everything, batch, split)
    complete(batch, everything, split)
    missed = measure_all(batch, split) < batch.target * (1 - TIE)
    total = problem.sums(np.where(batch.target > 0, split, 0))
    return split, np.where(problem.sums(missed) == 0, total, np.nan)


def _measures(problem: Problem, batch: Batch, split: np.ndarray, throughput: np.ndarray) -> dict[str, np.ndarray]:
    """Measures of targets, spare SMs and best-effort applications, one value per scenario."""
    scenarios, has_target = problem.scenarios, batch.target > 0
    met = has_target & (throughput >= batch.target * (1 - TIE))
    spare = problem.sms - problem.sums(np.where(has_target, split, 0))
    watts = np.where(
        batch.gives_spare,
        0.0,
        np.where(scenarios["spare"] == "gated", scenarios["gated_w"].to_numpy(), scenarios["idle_w"].to_numpy()),
    )
    runs = ~has_target & np.repeat(batch.gives_spare, problem.applications)
    gained = problem.sums(np.where(runs, throughput, 0.0))
    baseline = problem.sums(np.where(runs, batch.cooperative, 0.0))
    gain = np.divide(gained, baseline, out=np.full(len(spare), np.nan), where=baseline > 0)
    return {
        "qos_met": problem.sums(met) / problem.sums(has_target),
        "spare_sms": spare.astype(float),
        "saved_w": spare * watts,
        "best_effort_gain": gain,
    }
