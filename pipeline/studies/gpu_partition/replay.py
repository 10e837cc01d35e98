"""Run a batch of scenarios."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from pipeline.simulation.table import checked, checked_inputs, codes, comparable
from pipeline.studies.gpu_partition import STUDY, model
from pipeline.studies.gpu_partition.inputs import INPUTS
from pipeline.studies.gpu_partition.model import engine
from pipeline.studies.gpu_partition.model.exact import lower_bound
from pipeline.studies.gpu_partition.rules import Allocation, Gpu, Options, Tasks
from pipeline.studies.gpu_partition.schedulers import SCHEDULERS, exact_up_to

DEFAULTS = STUDY.defaults
"""Columns of the scenario table that may be left out, with what they are then."""

OVERLOADED = "overloaded: the tasks' work exceeds the machine's (Lemma 1)"
LATE = "a task is late on the whole machine alone (Lemma 2)"
MANY = "more than {} tasks: only a lower bound is known"
LEFT_OUT = "the scheduler finds no partition for a task"


class _TaskSet(NamedTuple):
    """Tasks of one set in the order of their ids; serial fractions and conflict factors as given, null as nan."""

    row: np.ndarray
    work: np.ndarray
    serial_fraction: np.ndarray
    conflict_factor: np.ndarray
    kind: np.ndarray
    period: np.ndarray
    deadline: np.ndarray


@dataclass
class _Result:
    """A scenario's outcomes, a task each (partition -1: none), its metrics, and why it has no partitions."""

    partition: np.ndarray
    partition_sms: np.ndarray
    conflict: np.ndarray
    execution_time: np.ndarray
    metrics: dict[str, float]
    rejected: str | None


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
    tasks = _in_order(checked_inputs(inputs, INPUTS)["tasks"])
    scenarios = checked(scenarios, STUDY, SCHEDULERS)
    of_set = codes(scenarios["taskset_id"], tasks["taskset_id"].unique(maintain_order=True), "task set")
    by_set = _by_set(tasks)
    sets = [by_set[s] for s in of_set.tolist()]
    results = [_partitioned(given, row) for given, row in zip(sets, scenarios.iter_rows(named=True), strict=True)]
    return _tables(scenarios, inputs["tasks"], sets, results)


def _in_order(tasks: pl.DataFrame) -> pl.DataFrame:
    """Tasks sorted by set and id, with their place in the given table."""
    return (
        tasks.with_row_index("_row")
        .with_columns(comparable(tasks["taskset_id"]).alias("_set"), comparable(tasks["task_id"]).alias("_task"))
        .sort("_set", "_task")
    )


def _by_set(tasks: pl.DataFrame) -> list[_TaskSet]:
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
        _TaskSet(*(column[end - length : end] for column in columns)) for length, end in zip(lengths, ends, strict=True)
    ]


def _problem(given: _TaskSet, row: dict) -> tuple[Tasks, Gpu]:
    """What a scenario makes of its tasks; `alone` is -1 for a task that is late on all SMs."""
    sms, mig, literal = int(row["sms"]), row["sizes"] == "mig", row["execution_mode"] == "literal"
    if mig and sms < model.MIG_PARTS:
        raise ValueError(
            f"scenarios: sms is {row['sms']} in scenario {row['scenario_id']!r}; sizes mig are sevenths of a machine "
            f"of at least {model.MIG_PARTS} SMs"
        )
    # MIG's slices have memory of their own: no kernel is in the way of another's (paper, Section 8).
    kind = np.zeros_like(given.kind) if mig else given.kind
    beta = np.where(np.isnan(given.serial_fraction), model.SERIAL_FRACTION[kind], given.serial_fraction)
    factor = np.where(np.isnan(given.conflict_factor), model.CONFLICT_FACTOR[kind], given.conflict_factor)
    sizes = model.sizes(sms, mig)
    # Beyond the paper, whose deadlines are within the periods: alone, too, a task has to end before its next release.
    limit = np.minimum(given.deadline, given.period)
    alone = model.least_alone(sizes, given.work, beta, limit, literal)
    fitting = len(sizes)
    if not mig:  # a union may need more SMs than there are (Algorithm 2 bounds it by the sum of the two only)
        sizes = model.sizes(max(int(sizes[alone].sum()), sms), mig)
    takes, available = model.room(sizes, sms, mig)
    policy = 2 * (row["priority"] == "dm") + (row["edf"] == "non_preemptive")
    tasks = Tasks(given.work, beta, factor, kind, given.period, given.deadline, alone)
    return tasks, Gpu(sms, sizes, takes, available, fitting, literal, policy, np.zeros(3, np.int64))


def _partitioned(given: _TaskSet, row: dict) -> _Result:
    """One scenario."""
    began = time.thread_time()  # what else runs on the machine does not count
    tasks, gpu = _problem(given, row)
    single = (1 + tasks.serial_fraction) * tasks.work / tasks.period
    placed, metrics, rejected = _allocated(tasks, gpu, float(single.sum()), row)
    metrics["analysis_s"] = time.thread_time() - began
    metrics["workload_lower"] = float(single.sum())
    metrics["workload_upper"] = float((single * tasks.conflict_factor).sum())
    n = len(single)
    if placed is None:
        nowhere = np.full(n, -1, np.int64)
        return _Result(nowhere, nowhere, np.zeros(n, bool), np.full(n, np.nan), metrics, rejected)
    partition, m, conflict = placed
    k, beta, work = np.where(conflict, tasks.conflict_factor, 1.0), tasks.serial_fraction, tasks.work
    duration = k * (work / m + beta * work if gpu.literal else (1 + beta) * work / m)
    metrics["scheduled_workload"] = float((single * k).sum())
    metrics["partitions"] = float(partition.max() + 1)
    metrics["tasks_per_partition"] = n / metrics["partitions"]
    return _Result(partition, m, conflict, duration, metrics, None)


def _allocated(tasks: Tasks, gpu: Gpu, load: float, row: dict) -> tuple[list | None, dict[str, float], str | None]:
    """Partition, SMs and conflict of each task, measures of that, and why there is nothing; load: sum of C(1)/T."""
    if load > gpu.sms * (1 + model.TOLERANCE):
        return None, {"schedulable": 0.0, "tests": 0.0, "steps": 0.0}, OVERLOADED
    if (tasks.alone < 0).any():
        return None, {"schedulable": 0.0, "tests": 0.0, "steps": 0.0}, LATE
    scheduler = SCHEDULERS[row["scheduler"]]
    most = exact_up_to(scheduler)
    if len(tasks.work) > most:
        least = lower_bound(tasks, gpu)
        failed = {"schedulable": 0.0} if least > gpu.sms * (1 + model.TOLERANCE) else {}
        return None, {"tests": 0.0, "sms_lower": least} | failed, MANY.format(most)
    allocation = Allocation(np.arange(len(tasks.work)), tasks.alone.copy(), np.full(2, -1, np.int64))
    options = Options(
        row["forbidden"] == "act", row["order"] == "decreasing", row["search"] == "binary", row["stop"] == "exhaust",
        row["forbidden_scope"] == "tasks", row["seed"],
    )  # fmt: skip
    wrong, schedulable, *placed, needed = engine.run(scheduler.rule.compiled(), tasks, gpu, options, allocation)
    if wrong >= 0:
        raise _impossible(allocation, wrong, gpu, row)
    counts = {"tests": gpu.asked[model.TESTS], "steps": gpu.asked[model.STEPS],
              "merges": allocation.counts[model.MERGES], "moves": allocation.counts[model.MOVES],
              "undecided": gpu.asked[model.GIVEN_UP] or -1}  # fmt: skip
    metrics = {name: float(count) for name, count in counts.items() if count >= 0}
    metrics["schedulable"] = float(schedulable)
    if placed[0].min() < 0:
        return None, metrics, LEFT_OUT
    metrics["sms_needed"] = float(needed)
    if most < np.inf:
        metrics["sms_lower"] = float(needed)
    return placed, metrics, None


def _impossible(allocation: Allocation, task: int, gpu: Gpu, row: dict) -> ValueError:
    """What a rule wrote of a task that cannot be, and what can."""
    n, number = len(allocation.partition), allocation.partition[task]
    size = f" of size {allocation.size[number]}" if 0 <= number < n else ""
    return ValueError(
        f"scheduler {row['scheduler']}, scenario {row['scenario_id']!r}: task {task} of {n} is in partition "
        f"{number}{size}; partitions are 0 to {n - 1} (-1: none), sizes 0 to {len(gpu.sizes) - 1}"
    )


def _tables(
    scenarios: pl.DataFrame, tasks: pl.DataFrame, sets: list[_TaskSet], results: list[_Result]
) -> dict[str, pl.DataFrame]:
    def column(name: str, dtype: type) -> np.ndarray:
        return np.concatenate([np.empty(0, dtype), *(getattr(result, name) for result in results)])

    ids = scenarios["scenario_id"]
    of_scenario = np.repeat(np.arange(len(sets)), np.array([len(s.row) for s in sets], np.int64))
    rows = np.concatenate([np.empty(0, np.int64), *(s.row for s in sets)])
    nowhere = pl.Series(column("partition", np.int64) < 0)
    outcomes = pl.DataFrame(
        {
            "scenario_id": ids.gather(of_scenario),
            "task_id": tasks["task_id"].gather(rows),
            "partition": pl.Series(column("partition", np.int64)).set(nowhere, None),
            "partition_sms": pl.Series(column("partition_sms", np.int64)).set(nowhere, None),
            "conflict": pl.Series(column("conflict", np.bool_)).set(nowhere, None),
            "execution_time": pl.Series(column("execution_time", np.float64), nan_to_null=True),
            "rejected": pl.Series([r.rejected for r in results], dtype=pl.String).gather(of_scenario),
        }
    )
    # A measure that is not defined has no row.
    long = [(s, *item) for s, result in enumerate(results) for item in sorted(result.metrics.items())]
    metrics = pl.DataFrame(
        {
            "scenario_id": ids.gather([s for s, _, _ in long]),
            "metric": pl.Series([name for _, name, _ in long], dtype=pl.String),
            "value": pl.Series([value for _, _, value in long], dtype=pl.Float64),
        }
    )
    measured = pl.col("metric") == "analysis_s"
    return {"outcomes": outcomes, "metrics": metrics.filter(~measured), "measured": metrics.filter(measured)}
