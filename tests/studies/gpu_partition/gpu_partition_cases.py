"""Random tasks and scenarios as tables for the replay, and as what the slow reference takes."""

from __future__ import annotations

from random import Random
from typing import Any

import polars as pl
from gpu_partition_slow import Options, Task

BETA = {"compute": 0.02, "memory": 0.1}
FACTOR = {"compute": 1.2, "memory": 2.3}
PERIODS = (50, 80, 100, 125, 160, 200, 250, 400, 500, 800, 1000, 2000, 4000)


def random_tasks(rng: Random, n: int, total: float, given: bool = False) -> list[Task]:
    """n tasks with a parallel utilisation of about `total`; `given`: serial fractions and factors of their own."""
    weights = [rng.expovariate(1) for _ in range(n)]
    tasks = []
    for number, weight in enumerate(weights):
        period = rng.choice(PERIODS)
        kind = rng.choice(("compute", "memory"))
        beta = rng.uniform(0, 0.2) if given else BETA[kind]
        factor = rng.uniform(1, 3) if given else FACTOR[kind]
        deadline = period * rng.choice((0.5, 0.75, 1.0))
        tasks.append(Task(number, period, deadline, total * weight / sum(weights) * period, kind, beta, factor))
    return tasks


def task_table(sets: dict[str, list[Task]], given: bool = False) -> pl.DataFrame:
    """Table `tasks`; the optional columns only if `given`."""
    rows = [
        {"taskset_id": name, "task_id": f"t{task.number:03d}", "period": task.period, "deadline": task.deadline,
         "work": task.work, "kind": task.kind}
        | ({"serial_fraction": task.beta, "conflict_factor": task.factor} if given else {})
        for name, tasks in sets.items()
        for task in tasks
    ]  # fmt: skip
    return pl.DataFrame(rows)


def scenario_table(rows: dict[str, tuple[str, Options]]) -> pl.DataFrame:
    """Scenarios by id: task set and options."""
    return pl.DataFrame([{"scenario_id": i, "taskset_id": s, **vars(options)} for i, (s, options) in rows.items()])


def random_options(rng: Random, **fixed: Any) -> Options:
    """Any combination of options."""
    drawn = {
        "sms": rng.choice((8, 20, 68)),
        "scheduler": rng.choice(("sms", "bf")),
        "forbidden": rng.choice(("inactive", "act")),
        "order": rng.choice(("decreasing", "increasing")),
        "execution_mode": rng.choice(("scaled", "literal")),
        "edf": rng.choice(("preemptive", "non_preemptive")),
        "search": rng.choice(("binary", "linear")),
        "stop": rng.choice(("fit", "exhaust")),
        "forbidden_scope": rng.choice(("partitions", "tasks")),
    }
    return Options(**drawn | fixed)


def metrics_of(result: dict[str, pl.DataFrame]) -> dict[Any, dict[str, float]]:
    """Metrics by scenario."""
    by_scenario: dict[Any, dict[str, float]] = {}
    for scenario, metric, value in result["metrics"].iter_rows():
        by_scenario.setdefault(scenario, {})[metric] = value
    return by_scenario
