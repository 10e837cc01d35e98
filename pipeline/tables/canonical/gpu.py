"""Applications on GPUs: profiles of their kernels, run times against streaming multiprocessors, runs side by side."""

from __future__ import annotations

import dataframely as dy
import polars as pl

from pipeline.tables.columns import MOST_SMS, count, number, text


class Kernel(dy.Schema):
    """Kernels as profiled alone on the whole GPU, one row each, all its launches together."""

    trace = text("trace the kernel belongs to")
    app = text("application that launches it; null = not known", nullable=True)
    kernel = text("kernel", min_length=1)
    launches = count("launches profiled; null = not known", nullable=True, min=1)
    time_s = number("time of all its launches; null = not known", "s", nullable=True, min_exclusive=0)
    gflops = number("floating-point rate while it runs; null = not measured", "GFLOP/s", nullable=True, min=0)
    memory_gbps = number("global load and store rate while it runs; null = not measured", "GB/s", nullable=True, min=0)
    dram_gbps = number(
        "read and write rate of device memory while it runs; null = unknown", "GB/s", nullable=True, min=0
    )
    dram_utilisation = number(
        "device memory utilisation, as the profiler grades it in tenths; null = not measured", "1", nullable=True, min=0
    )
    occupancy = number(
        "achieved occupancy: resident warps over the most an SM holds; null = not measured",
        "1",
        nullable=True,
        min=0,
        max=1,
    )
    blocks = number("blocks of the grid, mean of its launches; null = not known", "1", nullable=True, min=0)
    waves = number(
        "blocks over those that all SMs hold at once, mean of its launches; null = not known", "1", nullable=True, min=0
    )
    saturation_sms = number("SMs from which it is no faster; null = not known", "1", nullable=True, min_exclusive=0)
    gpu_sms = count("SMs of the GPU; null = not known", nullable=True, min=1, max=MOST_SMS)
    missing = text("columns that its profile does not tell, apart by blanks; null = none, or given", nullable=True)
    origin = text("measured (a profile) or given (a table)")

    @dy.rule()
    def duplicate_kernel(cls) -> pl.Expr:
        """A kernel of an application occurs once; the first row counts."""
        return pl.struct("trace", "app", "kernel").is_first_distinct()


class GpuApp(dy.Schema):
    """Applications as profiled alone on the whole GPU: when they begin to use it, copies, and all kernels together."""

    trace = text("trace the application belongs to")
    app = text("application", min_length=1)
    device = text("GPU, as the profiler names it; null = it does not", nullable=True)
    kernels = count("different kernels", min=0)
    launches = count("launches of kernels; null = not known", nullable=True, min=0)
    start_s = number(
        "from the start of the program to the first copy or kernel, which is mostly the creation of its context; "
        "null = no trace of it",
        "s",
        nullable=True,
        min=0,
    )
    span_s = number(
        "from the first copy or kernel to the end of the last; null = no trace of it", "s", nullable=True, min=0
    )
    kernel_s = number("time of all launches; null = not known", "s", nullable=True, min=0)
    copy_s = number("time of all copies between host and GPU; null = not known", "s", nullable=True, min=0)
    copied_gb = number("size of these copies; null = not known", "GB", nullable=True, min=0)
    gflops = number("floating-point rate while kernels run; null = not measured", "GFLOP/s", nullable=True, min=0)
    memory_gbps = number("global load and store rate while kernels run", "GB/s", nullable=True, min=0)
    dram_gbps = number("device memory read and write rate while kernels run", "GB/s", nullable=True, min=0)
    occupancy = number("achieved occupancy, mean over kernel time; null = not measured", "1", nullable=True, min=0)
    missing = text("columns that its profile does not tell, apart by blanks; null = none", nullable=True)

    @dy.rule()
    def duplicate_app(cls) -> pl.Expr:
        """An application has one profile."""
        return pl.struct("trace", "app").is_first_distinct()


class Gpu(dy.Schema):
    """The GPU that a trace was taken on, and where each of its numbers comes from."""

    trace = text("trace")
    gpu = text("its name in pipeline/gpus/gpus.csv; null = only numbers are stated", nullable=True)
    sms = count("streaming multiprocessors", min=1, max=MOST_SMS)
    sms_origin = text("stated (trace.yaml), looked_up (by the stated name, or that in the profile) or assumed")
    peak_gflops = number(
        "peak single-precision rate; null = taken from the rates of its kernels", "GFLOP/s", nullable=True, min=0
    )
    peak_gflops_origin = text("stated, looked_up, measured (the largest rate of a kernel) or assumed")
    bandwidth_gbps = number("peak bandwidth of its memory; null = taken from its kernels", "GB/s", nullable=True, min=0)
    bandwidth_gbps_origin = text("stated, looked_up, measured (the largest rate of a kernel) or assumed")
    repetitions = number(
        "how often a run of an application repeats what was profiled; null = not stated", "1", nullable=True, min=0
    )


class SmCurve(dy.Schema):
    """Speed of an application against the streaming multiprocessors it has to itself."""

    trace = text("trace the curve belongs to")
    app = text("application", min_length=1)
    sms = count("streaming multiprocessors", min=1, max=MOST_SMS)
    time_s = number(
        "run time, or of a throughput the time of one unit of work; null where only ipc is known",
        "s",
        nullable=True,
        min_exclusive=0,
    )
    throughput_per_s = number(
        "units of work a second, in a unit of the application's own; null where none is given",
        "1/s",
        nullable=True,
        min_exclusive=0,
    )
    ipc = number(
        "instructions a cycle of all its SMs, or another rate that applications share; null where only a time is known",
        "1",
        nullable=True,
        min=0,
    )
    beside = text("application that holds the other SMs; null = alone", nullable=True)
    mig_slices = count("sevenths of the GPU, where the point is a MIG slice; null = it is none", nullable=True, min=1)
    origin = text("measured, or given (in a table)")

    @dy.rule()
    def duplicate_point(cls) -> pl.Expr:
        """A number of SMs occurs once in a curve; the first row counts."""
        return pl.struct("trace", "app", "beside", "sms").is_first_distinct()

    @dy.rule()
    def neither_time_nor_rate(cls) -> pl.Expr:
        """A point has a time or a rate."""
        return pl.col("time_s").is_not_null() | pl.col("ipc").is_not_null()


class CorunPair(dy.Schema):
    """Pairs of applications measured side by side on one GPU."""

    trace = text("trace the pair belongs to")
    app_a = text("one application", min_length=1)
    app_b = text("the other", min_length=1)
    gpu = text("card, where a trace has several; null = its only one", nullable=True)
    fits = dy.Bool(nullable=True, description="whether both fit into the card's memory at once; null = they ran")
    slowdown_a = number(
        "time of app_a beside app_b over its time alone; null = they do not fit", "1", nullable=True, min_exclusive=0
    )
    slowdown_b = number(
        "time of app_b beside app_a over its time alone; null = they do not fit", "1", nullable=True, min_exclusive=0
    )
    alone_a_s = number("time of app_a alone; null = only slowdowns are known", "s", nullable=True, min_exclusive=0)
    alone_b_s = number("time of app_b alone", "s", nullable=True, min_exclusive=0)
    corun_a_s = number("time of app_a beside app_b", "s", nullable=True, min_exclusive=0)
    corun_b_s = number("time of app_b beside app_a", "s", nullable=True, min_exclusive=0)
    alone_a_per_s = number("steps of app_a a second alone; null = not known", "1/s", nullable=True, min_exclusive=0)
    alone_b_per_s = number("steps of app_b a second alone", "1/s", nullable=True, min_exclusive=0)
    corun_a_per_s = number("steps of app_a a second beside app_b", "1/s", nullable=True, min_exclusive=0)
    corun_b_per_s = number("steps of app_b a second beside app_a", "1/s", nullable=True, min_exclusive=0)

    @dy.rule()
    def slowdown_missing(cls) -> pl.Expr:
        """A pair that fits has both slowdowns."""
        both = pl.col("slowdown_a").is_not_null() & pl.col("slowdown_b").is_not_null()
        return both | ~pl.col("fits").fill_null(True)


class SmFit(dy.Schema):
    """What was fitted to each curve of run time against SMs: T = a/m + b, and where it saturates."""

    trace = text("trace")
    app = text("application", min_length=1)
    points = count("points of the curve", min=2)
    least_sms = count("least SMs of a point", min=1)
    most_sms = count("most SMs of a point", min=1)
    a_s = number("a: time on one SM of the part that is shared among SMs; null = no times", "s", nullable=True, min=0)
    b_s = number("b: time that no SM shortens; null = no times", "s", nullable=True, min=0)
    r2 = number("coefficient of determination of the fit; null = no times, or all alike", "1", nullable=True)
    kind = text("memory (saturates at 0.8 of the most SMs or fewer) or compute", nullable=True)
    saturation_sms = count("least SMs from which no point is more than 5 % faster", nullable=True, min=1)
    monotone = dy.Bool(description="whether the speed never falls as SMs are added")


class TaskCost(dy.Schema):
    """Cost of a real-time task that runs an application: C(m) = a/m + b fitted to its curve, and conflicts."""

    trace = text("trace")
    app = text("application", min_length=1)
    machine_sms = count("SMs of the GPU: the most that a curve of the trace reaches", min=1)
    points = count("points of its curve", min=2)
    least_sms = count("least SMs of a point; with fewer its time is extrapolated", min=1)
    unit = text("unit of work: s; where the trace has rates only, each application's time on its most SMs")
    work = number("a: time on one SM of the part that is shared among SMs", "unit", min_exclusive=0)
    serial_fraction = number("b/a: part that no SM shortens, over work", "1", min=0)
    r2 = number("coefficient of determination of the fit; null = times all alike", "1", nullable=True)
    kind = text("memory (saturates at 0.8 of the most SMs or fewer) or compute")
    conflict_factor = number(
        "largest measured slowdown beside an application of its kind, at least 1; null = none was measured",
        "1",
        nullable=True,
        min=1,
    )
    conflict_pairs = count("slowdowns that the factor is the largest of", min=0)
    origin = text("fitted")


class Task(dy.Schema):
    """Real-time tasks on a GPU: kernels that are released again and again and have deadlines."""

    trace = text("trace the task belongs to")
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
        return pl.struct("trace", "taskset_id", "task_id").is_first_distinct()


CANONICAL = {
    "kernels": Kernel,
    "gpu_apps": GpuApp,
    "gpus": Gpu,
    "sm_curves": SmCurve,
    "corun_pairs": CorunPair,
    "sm_fits": SmFit,
    "task_costs": TaskCost,
    "tasks": Task,
}
DATABASE_NAME = {
    "kernels": "kernel",
    "gpu_apps": "gpu_app",
    "gpus": "gpu",
    "sm_curves": "sm_curve",
    "corun_pairs": "corun_pair",
    "sm_fits": "sm_fit",
    "task_costs": "task_cost",
    "tasks": "task",
}
