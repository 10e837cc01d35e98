"""Partitions of a GPU: tests of schedulability, and the paper's evaluation of its heuristics."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from numba import njit

from bench.measure import seconds
from bench.results import Figure, rates
from bench.settings import Settings
from pipeline.config import Configuration
from pipeline.studies import gpu_partition
from pipeline.studies.gpu_partition.config import POINTS
from pipeline.studies.gpu_partition.model import TOLERANCE
from pipeline.studies.gpu_partition.model.processor_demand import qpa

TASKS, SETS, TINY_SETS = 10, 20_000, 200
POINT_SETS = {50: 100, 200: 100}
"""Task sets a point of the paper's evaluation, by the tasks of a set."""
MEASURED_SETS = {50: 10, 200: 1}
GOAL = {50: "goal: 180 s on two cores", 200: "goal: 900 s on two cores"}


@njit(cache=True)
def _tested(C: np.ndarray, T: np.ndarray, D: np.ndarray) -> int:
    """Tests of the rows of C, T, D; how many are schedulable."""
    held = 0
    for i in range(len(C)):
        held += qpa(C[i], T[i], D[i], TOLERANCE)
    return held


def _sets(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Task sets with utilisations of 0.7 to 1 and deadlines of 30 to 100 % of the periods, a row per set."""
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
    """Tests a second, seconds of the evaluation."""
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
