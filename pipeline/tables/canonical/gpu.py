"""Applications on GPUs: profiles of their kernels, run times against streaming multiprocessors, runs side by side."""

from __future__ import annotations

import dataframely as dy
import polars as pl

from pipeline.tables.columns import count, number, text


class Kernel(dy.Schema):
    """Kernels as profiled alone on the whole GPU, one row each, all its launches together."""

    trace_id = text("trace the kernel belongs to")
    app = text("application that launches it; null = not known", nullable=True)
    kernel = text("kernel", min_length=1)
    launches = count("launches profiled; null = not known", nullable=True, min=1)
    time_s = number("time of all its launches; null = not known", "s", nullable=True, min_exclusive=0)
    gflops = number("floating-point rate while it runs; null = not measured", "GFLOP/s", nullable=True, min=0)
    memory_gbps = number("global load and store rate while it runs; null = not measured", "GB/s", nullable=True, min=0)
    origin = text("measured (a profile) or given (a table)")


class SmCurve(dy.Schema):
    """Speed of an application against the streaming multiprocessors it has to itself."""

    trace_id = text("trace the curve belongs to")
    app = text("application", min_length=1)
    sms = count("streaming multiprocessors", min=1)
    time_s = number("run time; null where only a rate is known", "s", nullable=True, min_exclusive=0)
    ipc = number(
        "instructions a cycle of all its SMs, or another rate; null where only a time is known",
        "1",
        nullable=True,
        min=0,
    )
    origin = text("measured, or given (in a table)")

    @dy.rule()
    def duplicate_point(cls) -> pl.Expr:
        """A number of SMs occurs once in a curve; the first row counts."""
        return pl.struct("trace_id", "app", "sms").is_first_distinct()

    @dy.rule()
    def neither_time_nor_rate(cls) -> pl.Expr:
        """A point has a time or a rate."""
        return pl.col("time_s").is_not_null() | pl.col("ipc").is_not_null()


class CorunPair(dy.Schema):
    """Pairs of applications measured side by side on one GPU."""

    trace_id = text("trace the pair belongs to")
    app_a = text("one application", min_length=1)
    app_b = text("the other", min_length=1)
    slowdown_a = number("time of app_a beside app_b over its time alone", "1", min_exclusive=0)
    slowdown_b = number("time of app_b beside app_a over its time alone", "1", min_exclusive=0)


class Task(dy.Schema):
    """Real-time tasks on a GPU: kernels that are released again and again and have deadlines."""

    trace_id = text("trace the task belongs to")
    taskset_id = text(
        "task set: tasks that share one GPU; the trace where its tasks are one", nullable=True, min_length=1
    )
    task_id = text("task, unique in its set", min_length=1)
    period = number("least time between two releases", "unit of time of the set", min_exclusive=0)
    deadline = number("relative deadline; it may exceed the period", "unit of time of the set", min_exclusive=0)
    work = number("execution time of its parallel part on one SM", "unit of time of the set", min_exclusive=0)
    kind = text("compute or memory: what it uses most")
    serial_fraction = number(
        "part that more SMs do not shorten, as a share of work; null = by kind", "1", nullable=True, min=0
    )
    conflict_factor = number(
        "execution time beside another task of its kind over that without; null = by kind", "1", nullable=True, min=1
    )
    origin = text("given (in a table)")

    @dy.rule()
    def duplicate_task(cls) -> pl.Expr:
        """A task occurs once in its set; the first row counts."""
        return pl.struct("trace_id", "taskset_id", "task_id").is_first_distinct()


CANONICAL = {
    "kernels": Kernel,
    "sm_curves": SmCurve,
    "corun_pairs": CorunPair,
    "tasks": Task,
}
DATABASE_NAME = {
    "kernels": "kernel",
    "sm_curves": "sm_curve",
    "corun_pairs": "corun_pair",
    "tasks": "task",
}
