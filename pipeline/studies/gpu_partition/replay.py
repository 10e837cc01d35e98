"""Run a batch of scenarios."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from pipeline.replay.table import codes, comparable, require_columns, require_finite, require_known, with_defaults
from pipeline.studies.gpu_partition import assignment, merging, model
from pipeline.studies.gpu_partition.schedulers import SCHEDULERS
from pipeline.wording import did_you_mean

DEFAULTS = {
    "sms": 68,
    "forbidden": "inactive",
    "order": "decreasing",
    "execution_mode": "scaled",
    "edf": "preemptive",
    "priority": "edf",
    "search": "binary",
    "stop": "fit",
    "forbidden_scope": "partitions",
    "sizes": "any",
}
"""Columns of the scenario table that may be left out, with what they are then."""

OPTIONS = {
    "forbidden": ("inactive", "act"),
    "order": ("decreasing", "increasing"),
    "execution_mode": ("scaled", "literal"),
    "edf": ("preemptive", "non_preemptive"),
    "priority": ("edf", "dm"),
    "search": ("binary", "linear"),
    "stop": ("fit", "exhaust"),
    "forbidden_scope": ("partitions", "tasks"),
    "sizes": ("any", "mig"),
}
BUDGET = 20_000
"""Tests of schedulability after which local_search takes no further step."""
OVERLOADED = "overloaded: the tasks' work exceeds the machine's (Lemma 1)"
LATE = "a task is late on the whole machine alone (Lemma 2)"
MANY = f"more than {assignment.MOST_TASKS} tasks: only a lower bound is known"
PARTNER = {"smallest_union": merging.SMALLEST_UNION, "least_load": merging.LEAST_LOAD}


class _Tasks(NamedTuple):
    """Tasks of one task set in the order of their ids; serial fractions and conflict factors as given, null as nan."""

    row: np.ndarray
    work: np.ndarray
    serial: np.ndarray
    factor: np.ndarray
    kind: np.ndarray
    period: np.ndarray
    deadline: np.ndarray


class _Machine(NamedTuple):
    """What a scenario makes of its tasks."""

    sizes: np.ndarray
    beta: np.ndarray
    factor: np.ndarray
    kind: np.ndarray
    literal: bool
    policy: int


@dataclass
class _Result:
    where: np.ndarray
    partition_sms: np.ndarray
    metrics: dict[str, float]
    rejected: str | None = None


def replay(inputs: dict[str, pl.DataFrame], scenarios: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Partition a GPU for each scenario's task set.

    inputs: `tasks` (taskset_id, task_id, period, deadline, work, kind compute | memory, [serial_fraction; 0.02 | 0.1 by
    kind], [conflict_factor; 1.2 | 2.3 by kind]), times in any one unit, work in that unit on one SM.
    scenarios: scenario_id, scheduler, taskset_id, and the columns of DEFAULTS (docs/models/gpu_partition.md).

    Returns `outcomes` (scenario_id, task_id, partition, partition_sms, conflict, execution_time, rejected), `metrics`
    (scenario_id, metric, value) and `measured` (the same, of what differs from run to run: analysis_s). Rows are sorted
    by scenario, then by task. Partitions are numbered by their first tasks. Where a set has none its tasks' partitions
    are null and `rejected` says why; where the partitions need more SMs than there are, `schedulable` is 0 and the
    partitions are those that were reached. A measure that is not defined has no row.

    Raises ValueError naming an unknown scheduler, task set, kind or option, a missing table or column, a task that
    occurs twice, or a value out of range.
    """
    if "tasks" not in inputs:
        raise ValueError(f"inputs: missing table tasks; found {', '.join(inputs)}{did_you_mean('tasks', inputs)}")
    tasks = _checked_tasks(inputs["tasks"])
    scenarios = with_defaults(scenarios, DEFAULTS, required=("scheduler", "taskset_id"))
    require_known(scenarios["scheduler"], SCHEDULERS, "scheduler")
    for column, known in OPTIONS.items():
        require_known(scenarios[column], known, column)
    require_finite(scenarios, "sms", "scenarios", 1)
    scenarios = scenarios.with_columns(comparable(scenarios["scenario_id"]).alias("_id")).sort("_id")
    sets = tasks["taskset_id"].unique(maintain_order=True)
    of_set = codes(scenarios["taskset_id"], sets, "task set")
    found = _by_set(tasks)
    mine = [found[s] for s in of_set.tolist()]
    results = [_partitioned(its, row) for its, row in zip(mine, scenarios.iter_rows(named=True), strict=True)]
    return _tables(scenarios, inputs["tasks"], mine, results)


def _checked_tasks(tasks: pl.DataFrame) -> pl.DataFrame:
    """Tasks sorted by set and id, with their place in the given table, optional columns there."""
    require_columns(tasks, ("taskset_id", "task_id", "period", "deadline", "work", "kind"), "tasks")
    for column in ("taskset_id", "task_id", "kind"):
        if tasks[column].null_count():
            raise ValueError(f"tasks: {column} is null in row {tasks[column].is_null().arg_true()[0] + 1}")
    require_known(tasks["kind"], model.KINDS, "kind")
    for column in ("period", "deadline", "work"):
        require_finite(tasks, column, "tasks", 0, exclusive=True)
    for column, least in (("serial_fraction", 0), ("conflict_factor", 1)):
        if column in tasks.columns:
            require_finite(tasks, column, "tasks", least, where=tasks[column].is_not_null())
        else:
            tasks = tasks.with_columns(pl.lit(None, pl.Float64).alias(column))
    twice = tasks.select(pl.struct("taskset_id", "task_id").is_duplicated()).to_series()
    if twice.any():
        row = tasks.row(twice.arg_true()[0], named=True)
        raise ValueError(f"tasks: task_id {row['task_id']!r} occurs twice in task set {row['taskset_id']!r}")
    return (
        tasks.with_row_index("_row")
        .with_columns(comparable(tasks["taskset_id"]).alias("_set"), comparable(tasks["task_id"]).alias("_task"))
        .sort("_set", "_task")
    )


def _by_set(tasks: pl.DataFrame) -> list[_Tasks]:
    """Tasks of each task set, in the order of the sets."""

    def numbers(column: str) -> np.ndarray:
        return tasks[column].cast(pl.Float64).fill_null(np.nan).to_numpy().copy()

    columns = (
        tasks["_row"].to_numpy(), numbers("work"), numbers("serial_fraction"), numbers("conflict_factor"),
        (tasks["kind"].cast(pl.String) == "memory").cast(pl.Int64).to_numpy().copy(), numbers("period"),
        numbers("deadline"),
    )  # fmt: skip
    lengths = tasks.group_by("_set", maintain_order=True).len()["len"].to_numpy()
    ends = np.cumsum(lengths)
    return [
        _Tasks(*(column[end - length : end] for column in columns)) for length, end in zip(lengths, ends, strict=True)
    ]


def _machine(tasks: _Tasks, row: dict) -> _Machine:
    mig = row["sizes"] == "mig"
    if mig and row["sms"] < model.MIG_PARTS:
        raise ValueError(
            f"scenarios: sms is {row['sms']} in scenario {row['scenario_id']!r}; sizes mig are sevenths of a machine "
            f"of at least {model.MIG_PARTS} SMs"
        )
    # MIG's slices have memory of their own: no kernel is in the way of another's (paper, Section 8).
    kind = np.zeros_like(tasks.kind) if mig else tasks.kind
    beta = np.array([model.SERIAL_FRACTION[k] for k in model.KINDS])[kind]
    factor = np.array([model.CONFLICT_FACTOR[k] for k in model.KINDS])[kind]
    policy = 2 * (row["priority"] == "dm") + (row["edf"] == "non_preemptive")
    return _Machine(
        model.sizes(int(row["sms"]), mig),
        np.where(np.isnan(tasks.serial), beta, tasks.serial),
        np.where(np.isnan(tasks.factor), factor, tasks.factor),
        kind,
        row["execution_mode"] == "literal",
        policy,
    )


def _partitioned(tasks: _Tasks, row: dict) -> _Result:
    """One scenario."""
    machine = _machine(tasks, row)
    began = time.thread_time()  # what else runs on the machine does not count
    result = _allocated(tasks, machine, row)
    result.metrics["analysis_s"] = time.thread_time() - began
    single = (1 + machine.beta) * tasks.work / tasks.period
    result.metrics["workload_lower"] = float(single.sum())
    result.metrics["workload_upper"] = float((single * machine.factor).sum())
    if result.rejected is None:
        together = _conflicts(result.where, machine.kind)
        result.metrics["scheduled_workload"] = float((single * np.where(together, machine.factor, 1.0)).sum())
        partitions, first = np.unique(result.where, return_index=True)
        result.metrics["partitions"] = float(len(partitions))
        result.metrics["tasks_per_partition"] = len(result.where) / len(partitions)
        given = result.partition_sms[first]
        result.metrics["sms_needed"] = float(given.sum())
        if row["scheduler"] != "one_gpu":
            result.metrics["schedulable"] = float(_fit(given, machine, row))
    return result


def _allocated(tasks: _Tasks, machine: _Machine, row: dict) -> _Result:
    n = len(tasks.work)
    nowhere = np.full(n, -1, np.int64)
    if ((1 + machine.beta) * tasks.work / tasks.period).sum() > row["sms"] * (1 + model.TOLERANCE):
        return _Result(nowhere, nowhere, {"schedulable": 0.0, "tests": 0.0}, OVERLOADED)
    # Beyond the paper, whose deadlines are within the periods: alone, too, a task has to end before its next release.
    limit = np.minimum(tasks.deadline, tasks.period)
    alone = model.least_alone(machine.sizes, tasks.work, machine.beta, limit, machine.literal)
    if (alone < 0).any():
        return _Result(nowhere, nowhere, {"schedulable": 0.0, "tests": 0.0}, LATE)
    undecided = np.zeros(1, np.int64)
    given = (tasks.work, machine.beta, machine.factor, machine.kind, tasks.period, tasks.deadline, machine.literal,
             machine.policy, undecided)  # fmt: skip
    result = _partitions(tasks, machine, row, alone, given)
    if undecided[0]:
        result.metrics["undecided"] = float(undecided[0])
    return result


def _partitions(tasks: _Tasks, machine: _Machine, row: dict, alone: np.ndarray, given: tuple) -> _Result:
    """Partitions of tasks that pass both lemmas; alone: position of each one's least size; given: as model.holds."""
    scheduler = SCHEDULERS[row["scheduler"]]
    if scheduler.METHOD == "whole":
        largest = int(machine.sizes[-1])
        n = len(tasks.work)
        held = model.holds(np.arange(n), largest, *given)
        return _Result(np.zeros(n, np.int64), np.full(n, largest), {"schedulable": float(held), "tests": 1.0})
    if scheduler.METHOD == "search":
        return _searched(tasks, machine, row, alone, given)
    # A union may need more SMs than there are (Algorithm 2 bounds it by the sum of the two only).
    total = int(machine.sizes[alone].sum())
    mig = row["sizes"] == "mig"
    sizes = machine.sizes if mig else model.sizes(max(total, int(row["sms"])), False)
    takes, available = model.room(sizes, int(row["sms"]), mig)
    where, size, merges, tests = merging.merge(
        alone, sizes, takes, available, PARTNER[scheduler.PARTNER], row["forbidden"] == "act",
        row["order"] == "decreasing", row["search"] == "binary", row["stop"] == "exhaust",
        row["forbidden_scope"] == "tasks", *given,
    )  # fmt: skip
    metrics = {"merges": float(merges), "tests": float(tests)}
    if scheduler.METHOD == "mend":
        where, size, moves, more = assignment.mend(where, size, sizes, takes, available, BUDGET, *given)
        metrics |= {"moves": float(moves), "tests": float(tests + more)}
    return _Result(_numbered(where), sizes[size[where]], metrics)


def _searched(tasks: _Tasks, machine: _Machine, row: dict, alone: np.ndarray, given: tuple) -> _Result:
    if len(tasks.work) <= assignment.MOST_TASKS:
        takes, _ = model.room(machine.sizes, int(row["sms"]), row["sizes"] == "mig")
        where, size, tests = assignment.fewest_sms(machine.sizes, takes, *given)
        needed = float(machine.sizes[size[size >= 0]].sum())
        return _Result(_numbered(where), machine.sizes[size[where]], {"tests": float(tests), "sms_lower": needed})
    nowhere = np.full(len(tasks.work), -1, np.int64)
    least = assignment.bound(machine.sizes, alone, tasks.work, machine.beta, tasks.period, machine.literal)
    metrics = {"tests": 0.0, "sms_lower": least}
    if least > row["sms"] * (1 + model.TOLERANCE):
        metrics["schedulable"] = 0.0
    return _Result(nowhere, nowhere, metrics, MANY)


def _fit(given: np.ndarray, machine: _Machine, row: dict) -> bool:
    """Whether partitions of the given sizes (SMs) are on the GPU beside each other."""
    if row["sizes"] == "any":
        return given.sum() <= row["sms"]
    takes, available = model.room(machine.sizes, int(row["sms"]), True)
    return takes[np.searchsorted(machine.sizes, given)].sum() <= available


def _numbered(where: np.ndarray) -> np.ndarray:
    """Partitions numbered from 0 in the order of their first tasks."""
    _, first, number = np.unique(where, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number]


def _conflicts(where: np.ndarray, kind: np.ndarray) -> np.ndarray:
    """Whether another task of the same kind is in a task's partition."""
    _, group, count = np.unique(where * 2 + kind, return_inverse=True, return_counts=True)
    return count[group] > 1


def _tables(
    scenarios: pl.DataFrame, tasks: pl.DataFrame, sets: list[_Tasks], results: list[_Result]
) -> dict[str, pl.DataFrame]:
    ids = scenarios["scenario_id"]
    length = np.array([len(s.row) for s in sets], np.int64)
    of_scenario = np.repeat(np.arange(len(sets)), length)
    rows = np.concatenate([s.row for s in sets]) if sets else np.empty(0, np.int64)
    where = np.concatenate([r.where for r in results]) if results else np.empty(0, np.int64)
    size = np.concatenate([r.partition_sms for r in results]) if results else np.empty(0, np.int64)
    held = where >= 0
    conflict, duration = np.zeros(len(where), bool), np.full(len(where), np.nan)
    first = 0
    for s, (row, result) in enumerate(zip(scenarios.iter_rows(named=True), results, strict=True)):
        mine = slice(first, first + length[s])
        first += length[s]
        if result.rejected is None:
            machine = _machine(sets[s], row)
            conflict[mine] = _conflicts(result.where, machine.kind)
            k = np.where(conflict[mine], machine.factor, 1.0)
            work, m = sets[s].work, result.partition_sms
            duration[mine] = k * (work / m + machine.beta * work if machine.literal else (1 + machine.beta) * work / m)
    outcomes = pl.DataFrame(
        {
            "scenario_id": ids.gather(of_scenario),
            "task_id": tasks["task_id"].gather(rows),
            "partition": pl.Series(where, dtype=pl.Int64).set(pl.Series(~held), None),
            "partition_sms": pl.Series(size, dtype=pl.Int64).set(pl.Series(~held), None),
            "conflict": pl.Series(conflict).set(pl.Series(~held), None),
            "execution_time": pl.Series(duration, nan_to_null=True, dtype=pl.Float64),
            "rejected": pl.Series([r.rejected for r in results], dtype=pl.String).gather(of_scenario),
        }
    )
    names = sorted({name for r in results for name in r.metrics})
    long = [(s, name, r.metrics[name]) for s, r in enumerate(results) for name in names if name in r.metrics]
    metrics = pl.DataFrame(
        {
            "scenario_id": ids.gather([s for s, _, _ in long]),
            "metric": pl.Series([name for _, name, _ in long], dtype=pl.String),
            "value": pl.Series([value for _, _, value in long], dtype=pl.Float64),
        }
    )
    measured = pl.col("metric") == "analysis_s"
    return {"outcomes": outcomes, "metrics": metrics.filter(~measured), "measured": metrics.filter(measured)}
