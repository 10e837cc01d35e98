"""Task sets on one processor, drawn at random and run under EDF, beside SimSo's generator and simulation."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random

import numpy as np
import scipy

from bench.measure import seconds
from bench.peers import Unavailable, simso
from bench.results import Figure, quotients, rates
from bench.settings import Settings
from pipeline.studies.gpu_partition import model
from pipeline.studies.gpu_partition.generate import uunifast
from pipeline.studies.gpu_partition.model import simulate
from pipeline.studies.gpu_partition.schedulability import edf_qpa

TASKS, LOAD = 50, 16.0
DRAWN_SETS, TINY_DRAWN_SETS = 5000, 3
SIMULATED_SETS, TINY_SIMULATED_SETS = 2000, 3
PATIENCE_S = 600.0


def run(settings: Settings) -> Iterator[Figure]:
    """Sets a second of both generators, seconds of both simulations, and whether they agree."""
    yield from _drawn(settings)
    yield from _simulated(settings)


def _drawn(settings: Settings) -> Iterator[Figure]:
    """Utilisations by UUniFast with discard, none above 1."""
    count = settings.size(DRAWN_SETS, TINY_DRAWN_SETS)
    rng = np.random.default_rng(1)
    drawn = []
    times = seconds(lambda: drawn.append([uunifast(rng, TASKS, LOAD, 1.0) for _ in range(count)]), settings.runs)
    of = f"UUniFast with discard, {TASKS} tasks, a sum of {LOAD:g}"
    yield rates("generator", count, times, "sets/s", of)
    try:
        found = [
            simso.generate(settings.environments / "simso", TASKS, LOAD, count, settings.folder("simso"), PATIENCE_S)
            for _ in range(settings.long_runs)
        ]
    except (Unavailable, TimeoutError) as problem:
        yield Figure("SimSo, generator", [], "sets/s", str(problem))
        return
    yield rates("SimSo, generator", count, [s for _, s in found], "sets/s", f"SimSo {simso.VERSION}, UUniFastDiscard")
    yield quotients("SimSo / ours, generator", [s for _, s in found], times[: len(found)])
    largest = np.array([shares.max() for shares in drawn[0]])
    same = scipy.stats.ks_2samp(largest, found[0][0])
    yield Figure("generator, mean largest utilisation", [float(largest.mean())], "1")
    yield Figure("SimSo, generator, mean largest utilisation", [float(found[0][0].mean())], "1")
    note = "Kolmogorov–Smirnov, largest utilisations; below 0.05 in one of twenty cases where the law is the same"
    yield Figure("generators alike, p", [float(same.pvalue)], "1", note)


def _simulated(settings: Settings) -> Iterator[Figure]:
    """Random integer sets over two hyperperiods and the longest deadline: SimSo, our simulation and QPA."""
    sets = _integer_sets(settings.size(SIMULATED_SETS, TINY_SIMULATED_SETS))
    said = [edf_qpa(tasks) for tasks, _ in sets]
    seen: list[list[bool]] = []
    times = seconds(lambda: seen.append([_no_miss(tasks, until) for tasks, until in sets]), settings.runs)
    tests = seconds(lambda: [edf_qpa(tasks) for tasks, _ in sets], settings.runs)
    of = f"{len(sets)} sets of 2 to 5 tasks, {np.mean(said):.0%} schedulable"
    yield Figure("simulation", times, "s", of)
    yield Figure("QPA", tests, "s", "the same sets, which it decides without simulating them")
    yield Figure("same verdicts of both", [100 * float(np.mean(np.equal(said, seen[0])))], "%")
    try:
        runs = [
            simso.simulate(settings.environments / "simso", sets, settings.folder("simso"), PATIENCE_S)
            for _ in range(settings.long_runs)
        ]
    except (Unavailable, TimeoutError) as problem:
        yield Figure("SimSo, simulation", [], "s", str(problem))
        return
    taken = [simulated_s for _, simulated_s in runs]
    yield Figure("SimSo, simulation", taken, "s", f"SimSo {simso.VERSION}, EDF_mono, the same sets as long")
    yield quotients("SimSo / ours, simulation", taken, times[: len(taken)])
    yield quotients("SimSo / ours, QPA", taken, tests[: len(taken)])
    yield Figure("same verdicts as SimSo", [100 * float(np.mean(np.equal(said, runs[0][0])))], "%")


def _integer_sets(count: int) -> list[tuple[list[tuple[int, int, int]], int]]:
    """Sets of (C, T, D), and how long to simulate them."""
    rng = Random(7)
    sets = []
    while len(sets) < count:
        periods = [rng.choice([4, 5, 6, 8, 10, 12, 20]) for _ in range(rng.randint(2, 5))]
        tasks = [(rng.randint(1, max(1, t // 3)), t, 0) for t in periods]
        tasks = [(c, t, rng.randint(c, t)) for c, t, _ in tasks]
        if sum(c / t for c, t, _ in tasks) <= 1:
            sets.append((tasks, 2 * math.lcm(*periods) + max(d for *_, d in tasks)))
    return sets


def _no_miss(tasks: list[tuple[int, int, int]], until: int) -> bool:
    """Whether our simulation meets all deadlines of tasks that are released together."""
    C, T, D = np.array(tasks, float).T.copy()
    miss, _ = simulate.first_miss(C, T, D, np.zeros(len(tasks)), float(until), model.EDF)
    return miss == simulate.NO_MISS
