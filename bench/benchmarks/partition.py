"""Partitions of a GPU: tests of schedulability, and the paper's evaluation of its heuristics."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random

import numpy as np
import polars as pl
from numba import njit

from bench.measure import seconds
from bench.peers import Unavailable, simso
from bench.results import Figure, rates
from bench.settings import Settings
from pipeline.config import Configuration
from pipeline.config.gpu_partition import POINTS
from pipeline.studies import gpu_partition
from pipeline.studies.gpu_partition.model import TOLERANCE
from pipeline.studies.gpu_partition.processor_demand import qpa
from pipeline.studies.gpu_partition.schedulability import edf_qpa

TASKS, SETS, TINY_SETS = 10, 20_000, 200
POINT_SETS = {50: 100, 200: 100}
"""Task sets a point of the paper's evaluation, by the tasks of a set."""
MEASURED_SETS = {50: 10, 200: 1}
GOAL = {50: "goal: 180 s on two cores", 200: "goal: 900 s on two cores"}
SIMULATED_SETS, TINY_SIMULATED_SETS = 2000, 3
PATIENCE_S = 600.0


@njit(cache=True)
def _tested(C: np.ndarray, T: np.ndarray, D: np.ndarray) -> int:
    """Tests of the rows of C, T, D; how many are schedulable."""
    held = 0
    for i in range(len(C)):
        held += qpa(C[i], T[i], D[i], TOLERANCE)
    return held


def _sets(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Task sets with utilisations of 0.7 to 1 and deadlines of 30 to 100 % of the periods, a row a set."""
    rng = np.random.default_rng(1)
    T = rng.uniform(50, 4000, (count, TASKS))
    C = rng.dirichlet(np.ones(TASKS), count) * rng.uniform(0.7, 1.0, (count, 1)) * T
    return C, T, T * rng.uniform(0.3, 1.0, (count, TASKS))


def _evaluation(tasks: int, sets: int) -> tuple[dict[str, pl.DataFrame], pl.DataFrame]:
    """Inputs and scenarios: every point, both heuristics, both orders, with and without the pre-pass."""
    sweep = {
        "workload": "generated", "tasks": [tasks], "sets": sets, "utilisation": POINTS, "schedulers": ["bf", "sms"],
        "forbidden": ["inactive", "act"], "order": ["decreasing", "increasing"],
    }  # fmt: skip
    others = dict.fromkeys(Configuration().gpu_partition.sweeps)
    config = Configuration.model_validate({"gpu_partition": {"sweeps": others | {"bench": sweep}}})
    return gpu_partition.workloads(config, {}), gpu_partition.scenarios(config, {})


def run(settings: Settings) -> Iterator[Figure]:
    """Tests a second, seconds of the evaluation, and agreement with a simulator."""
    C, T, D = _sets(settings.size(SETS, TINY_SETS))
    held = _tested(C, T, D) / len(C)
    times = seconds(lambda: _tested(C, T, D), settings.runs)
    yield rates("QPA", len(C), times, "tests/s", f"sets of {TASKS} tasks, {held:.0%} schedulable; goal: 200,000")
    for tasks, sets in settings.size(MEASURED_SETS, {50: 1}).items():
        inputs, scenarios = _evaluation(tasks, sets)
        scenarios = scenarios if not settings.tiny else scenarios.head(8)
        taken = seconds(lambda inputs=inputs, scenarios=scenarios: gpu_partition.replay(inputs, scenarios), 1)
        yield rates(f"{tasks} tasks", len(scenarios), taken, "scenarios/s", "one core")
        whole = POINT_SETS[tasks] * len(POINTS) * 8
        yield Figure(
            f"evaluation, {tasks} tasks", [s * whole / len(scenarios) for s in taken], "s",
            f"one core, from {len(scenarios)} of its {whole} scenarios; {GOAL[tasks]}",
        )  # fmt: skip
    yield from _simulated(settings)


def _simulated(settings: Settings) -> Iterator[Figure]:
    """What SimSo shows of random integer sets over two hyperperiods, against what QPA says."""
    rng = Random(7)
    sets = []
    while len(sets) < settings.size(SIMULATED_SETS, TINY_SIMULATED_SETS):
        periods = [rng.choice([4, 5, 6, 8, 10, 12, 20]) for _ in range(rng.randint(2, 5))]
        tasks = [(rng.randint(1, max(1, t // 3)), t, 0) for t in periods]
        tasks = [(c, t, rng.randint(c, t)) for c, t, _ in tasks]
        if sum(c / t for c, t, _ in tasks) <= 1:
            sets.append((tasks, 2 * math.lcm(*periods) + max(d for *_, d in tasks)))
    name = f"same verdicts as SimSo {simso.VERSION}"
    try:
        shown, simulated_s = simso.run(settings.environments / "simso", sets, settings.folder("simso"), PATIENCE_S)
    except (Unavailable, TimeoutError) as problem:
        yield Figure(name, [], "%", str(problem))
        return
    said = [edf_qpa(tasks) for tasks, _ in sets]
    same = [a == b for a, b in zip(said, shown, strict=True)]
    note = f"{len(sets)} sets of 2 to 5 tasks, {np.mean(said):.0%} schedulable; SimSo took {simulated_s:.1f} s"
    yield Figure(name, [100 * float(np.mean(same))], "%", note)
