"""Workloads and results of gpu_partition."""

from __future__ import annotations

import dataframely as dy

from pipeline.tables.columns import count, flag, number, text
from pipeline.tables.keys import Reference

UNIT = "unit of time of the set"


class GpuPartitionWorkload(dy.Schema):
    """Workloads of gpu_partition: task sets, and where they come from."""

    workload_id = text("workload")
    family = text("workload without its number: task sets of one family differ in what was drawn only")
    kind = text(
        "generated (UUniFast-Discard), dropped (tasks of a trace) or measured (of SM curves, with drawn periods)"
    )
    trace = text("trace that the tasks come from; null for generated ones", nullable=True)
    batch = count("number of the task set in its family", min=0)
    tasks = count("tasks", min=0)
    utilisation = number("sum of work / period: SMs that the parallel parts keep busy", "SMs", min=0)
    memory_share = number("probability of a generated task to be of the memory kind", "1", nullable=True)
    hyperperiod = count("what the periods of a generated set divide", min=1, nullable=True)
    origin = text("synthetic (generated here), measured or generated (as the trace is), composed (curves and draws)")


class GpuPartitionTask(dy.Schema):
    """Tasks of the workloads of gpu_partition."""

    taskset_id = text("task set: the workload")
    task_id = text("task, unique in its set")
    period = number("least time between two releases", UNIT, min_exclusive=0)
    deadline = number("relative deadline", UNIT, min_exclusive=0)
    work = number("execution time of its parallel part on one SM", UNIT, min_exclusive=0)
    kind = text("compute or memory")
    serial_fraction = number("part that more SMs do not shorten, over work; null = by kind", "1", nullable=True, min=0)
    conflict_factor = number("factor on execution times in conflict; null = by kind", "1", nullable=True, min=1)
    app = text("application that it runs, of a measured curve; null = not known", nullable=True)
    least_sms = count(
        "least SMs that its application was measured on: on fewer its time is extrapolated", nullable=True, min=1
    )
    cost_origin = text("where work, kind and serial fraction are from: synthetic, given (in a drop) or fitted")
    conflict_origin = text(
        "where the conflict factor is from: given, measured or generated (pairs, as the trace is), assumed (by kind)"
    )
    period_origin = text("where period and deadline are from: synthetic or given")


class GpuPartitionOutcome(dy.Schema):
    """Partition of each task in each scenario of gpu_partition; where `schedulable` is 0, what was reached."""

    scenario_id = text("scenario")
    task_id = text("task")
    partition = count("partition, numbered from 0 by their first tasks; null = none", nullable=True, min=0)
    partition_sms = count("SMs of the partition", nullable=True, min=1)
    conflict = flag("whether another task of its kind is in the partition")
    execution_time = number("execution time there, its conflicts included", UNIT, nullable=True)
    rejected = text("why there are no partitions; null = there are", nullable=True)


class GpuPartitionMeasured(dy.Schema):
    """What was measured of the scenarios of gpu_partition, and differs from run to run."""

    scenario_id = text("scenario")
    metric = text("analysis_s: CPU time of the analysis, on the machine that ran it")
    value = number("value", "as metric")


RESULTS = {
    "workload_gpu_partition": GpuPartitionWorkload,
    "task_gpu_partition": GpuPartitionTask,
    "outcome_gpu_partition": GpuPartitionOutcome,
    "measured_gpu_partition": GpuPartitionMeasured,
}
FILES = {
    "outcome_gpu_partition": ("replay", "outcomes"),
    "measured_gpu_partition": ("replay", "measured"),
    "task_gpu_partition": ("scenarios", "tasks"),
    "workload_gpu_partition": ("scenarios", "workloads"),
}
"""For each of its tables in the database the stage whose folders hold the rows, and the files' stem."""
KEYS = {
    "workload_gpu_partition": ("workload_id",),
    "task_gpu_partition": ("taskset_id", "task_id"),
    "outcome_gpu_partition": ("scenario_id", "task_id"),
    "measured_gpu_partition": ("scenario_id", "metric"),
}
"""Columns that identify a row of each table."""
REFERENCES = (Reference("scenario", "task_gpu_partition", ("taskset_id",), study="gpu_partition"),)
