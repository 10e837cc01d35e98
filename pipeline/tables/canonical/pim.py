"""Runs of programs on PIM machines, tables of their run times, and what was fitted to them."""

from __future__ import annotations

import dataframely as dy
import polars as pl

from pipeline.tables.columns import count, number, text


class PimRun(dy.Schema):
    """Runs of PrIM applications on a PIM machine, from their logs: one row a line of results, its timers summed by
    phase of the run.
    """

    trace = text("trace: the drop's name, with the folder of the logs where they lie in one")
    app = text("application", min_length=1)
    log = text("log file inside the drop", min_length=1)
    run = count("position of the run in its log, from 0: logs are appended to, so these are repetitions", min=0)
    line = count("line of the log that the results begin in", min=1)
    variant = text("variant of the application that the path names, as old; null = none", nullable=True)
    experiment = text(
        "weak (input grows with the DPUs), strong_rank (up to one rank) or strong_full (many ranks), by the log's "
        "name; null = it does not tell",
        nullable=True,
    )
    dpus = count("DPUs, by the file's name or else the log; null = neither tells", nullable=True, min=1)
    ranks = count(
        "ranks of up to 64 DPUs that these are, dpus / 64 rounded up; the DPUs themselves where unit is dpu",
        nullable=True,
        min=1,
    )
    unit = text("what `ranks` counts: rank (also where null), or dpu (pim_unit of trace.yaml)", nullable=True)
    dpus_per_rank = number(
        "DPUs a rank, on average: more than 60 are whole ranks of 64 with faulty DPUs, other numbers are not compared "
        "with them",
        "1",
        nullable=True,
    )
    tasklets = count("tasklets a DPU", nullable=True, min=1)
    block_size = count("BL: block size, as a power of two in bytes", nullable=True, min=0)
    input = text("size of the input as the log or its name states it; null = not stated", nullable=True)
    time_s = number("run time: all timers but that of the CPU version", "s", min_exclusive=0)
    cpu_s = number("CPU version, for comparison; no part of the run", "s", nullable=True, min=0)
    host_s = number("work of the host program", "s", nullable=True, min=0)
    alloc_s = number("allocation of ranks and loading of programs", "s", nullable=True, min=0)
    cpu_dpu_s = number("transfer to the DPUs", "s", nullable=True, min=0)
    kernel_s = number("kernels on the DPUs", "s", nullable=True, min=0)
    inter_dpu_s = number("exchange between DPUs, through the host", "s", nullable=True, min=0)
    dpu_cpu_s = number("transfer from the DPUs", "s", nullable=True, min=0)
    outputs = text("what the log says of the outputs: ok, failed, absent, or truncated (the log ends in the results)")
    verified = dy.Bool(description="whether the log says that the outputs are right")
    excluded = text(
        "why it is on no curve of time against ranks that has a table: dpus_unknown, check_failed, check_absent (of an "
        "application that prints one), truncated, copied_log, weak_scaling, one_measurement (its curve has one rank "
        "count), below_one_rank (the same, of at most 60 DPUs) or larger_than_machine; null = it is used",
        nullable=True,
    )
    note = text("what is odd about it", nullable=True)

    @dy.rule()
    def duplicate_run(cls) -> pl.Expr:
        """A run of a log occurs once."""
        return pl.struct("trace", "log", "run").is_first_distinct()


WHY_EXCLUDED = {
    "dpus_unknown": "neither name nor log tells the DPUs",
    "check_failed": "the program found its outputs wrong",
    "check_absent": "the log does not say that the outputs are right, as its program does",
    "truncated": "the log ends within the results",
    "copied_log": "the same times stand under another number of DPUs",
    "weak_scaling": "the input grows with the DPUs, by what only the log could tell",
    "one_measurement": "measured on one rank count only, which makes no curve of time against ranks",
    "below_one_rank": "measured on part of one rank only, and ranks are what is shared; pim_unit: dpu counts DPUs",
    "larger_than_machine": "measured on more ranks than trace.yaml says that the machine has",
}
"""What each reason in `PimRun.excluded` means."""


class PimPhase(dy.Schema):
    """Timers of the runs of PrIM applications, one by one as they are printed."""

    trace = text("trace")
    app = text("application", min_length=1)
    log = text("log file inside the drop", min_length=1)
    run = count("position of the run in its log, from 0", min=0)
    position = count("position of the timer in its run, from 0", min=0)
    label = text("label as printed", min_length=1)
    phase = text("cpu, host, alloc, cpu_dpu, kernel, inter_dpu or dpu_cpu")
    time_s = number("time", "s", min=0)

    @dy.rule()
    def duplicate_timer(cls) -> pl.Expr:
        """A timer of a run occurs once."""
        return pl.struct("trace", "log", "run", "position").is_first_distinct()


class PerfPoint(dy.Schema):
    """Times of applications at rank counts, given in a drop: a profile, or a whole performance table."""

    trace = text("trace")
    app = text("application", min_length=1)
    ranks = count("ranks", min=1)
    time_s = number("run time on so many ranks", "s", min_exclusive=0)
    best_ranks = count("best number of ranks of the application, as the user notes it", nullable=True, min=1)
    source = text("measured (also where null), interpolated or extrapolated", nullable=True)
    unit = text("what `ranks` counts: rank (also where null), or dpu (pim_unit of trace.yaml)", nullable=True)

    @dy.rule()
    def duplicate_ranks(cls) -> pl.Expr:
        """An application has one time at a rank count."""
        return pl.struct("trace", "app", "ranks").is_first_distinct()


class QueuedApp(dy.Schema):
    """Queue of applications that share the ranks of a PIM machine."""

    trace = text("trace")
    job_id = text("job, unique in its queue", min_length=1)
    app = text("application, one that has a performance table", min_length=1)
    arrival_s = number("arrival since the queue's own origin", "s", min=0)

    @dy.rule()
    def duplicate_job_id(cls) -> pl.Expr:
        """The first row of a job counts, later ones with its id are rejected."""
        return pl.struct("trace", "job_id").is_first_distinct()


class PimStage(dy.Schema):
    """Stages of applications on a PIM machine, for schedulers that free ranks between them."""

    trace = text("trace")
    app = text("application", min_length=1)
    stage = count("position of the stage in its application, from 0", min=0)
    kind = text("host_pre, kernel, host_mid or host_post")
    time_s = number("time of a host stage", "s", nullable=True, min=0)
    input_s = number("transfer to the DPUs before a kernel", "s", nullable=True, min=0)
    kernel_s = number("kernel", "s", nullable=True, min=0)
    output_s = number("transfer from the DPUs after a kernel", "s", nullable=True, min=0)
    serial_s = number("part of a kernel stage that does not shrink with more ranks", "s", nullable=True, min=0)

    @dy.rule()
    def duplicate_stage(cls) -> pl.Expr:
        """A stage number occurs once in an application."""
        return pl.struct("trace", "app", "stage").is_first_distinct()

    @dy.rule()
    def kind_unknown(cls) -> pl.Expr:
        """A stage is host work before, between or after kernels, or a kernel."""
        return pl.col("kind").is_in(["host_pre", "kernel", "host_mid", "host_post"])


class PimRequest(dy.Schema):
    """Rank counts that users ask for, for schedulers that grant requests."""

    trace = text("trace")
    app = text("application", min_length=1)
    ranks = count("ranks asked for", min=1)

    @dy.rule()
    def duplicate_app(cls) -> pl.Expr:
        """An application has one request."""
        return pl.struct("trace", "app").is_first_distinct()


class PimCurve(dy.Schema):
    """Curves of time against ranks that a trace holds: runs of one application that differ in the ranks only, or times
    that were given.
    """

    trace = text("trace")
    curve = text("application and all that its runs have in common")
    app = text("application")
    variant = text("variant of the application", nullable=True)
    experiment = text("experiment of the runs", nullable=True)
    unit = text("what numbers of ranks count: rank (also where null), or dpu (pim_unit of trace.yaml)", nullable=True)
    dpus_per_rank = number("DPUs of a whole rank; null = not told", "1", nullable=True)
    tasklets = count("tasklets a DPU", nullable=True)
    block_size = count("BL", nullable=True)
    input = text("size of the input; null = not stated, taken to be the same in all runs of a folder", nullable=True)
    runs = count("runs", min=1)
    points = count("rank counts that were measured", min=1)
    least_ranks = count("smallest of them", min=1)
    most_ranks = count("largest of them", min=1)
    most_dpus = count("DPUs that the run on them used: fewer where some are faulty; null = not told", nullable=True)
    max_ranks = count("ranks of the machine that the table is made for", min=1)
    method = text(
        "how its table is made: given (a time at every rank count), profile (all profile points), points (others, from "
        "1 to the machine's ranks), model (beyond the points a fit); null = none is",
        nullable=True,
    )
    status = text(
        "determined, underdetermined (fewer points than free terms of the model) or one_measurement (no curve: used "
        "nowhere)"
    )
    free_terms = count("free terms of the model", nullable=True)
    residual_s = number("root mean square difference of the model from the points", "s", nullable=True, min=0)
    relative_residual = number("the same as a share of the mean time", "1", nullable=True, min=0)
    best_ranks = count("best number of ranks by Algorithm 1, or as the user notes it", nullable=True, min=1)
    least_best_ranks = count(
        "smallest best number of the curves through the measured times that the fit allows: its admissible parameters, "
        "also as much faster or slower as it misses a measured time; null = the method is given or profile, or the "
        "user notes the best",
        nullable=True,
        min=1,
    )
    most_best_ranks = count("largest best number of these curves", nullable=True, min=1)
    chosen = dy.Bool(
        description="whether it is the trace's curve of its application, the one with the most points (then ranks, "
        "tasklets, runs): studies replay it"
    )
    note = text("what is odd about it", nullable=True)


class PerfTable(dy.Schema):
    """Performance tables (PIM-CARE, Algorithm 1): time and relative speed of each curve at every rank count."""

    trace = text("trace")
    curve = text("curve, as in pim_curve")
    app = text("application")
    ranks = count("ranks", min=1)
    time_s = number("run time", "s", min_exclusive=0)
    perf = number("speed as a share of the largest of the table", "1", min=0, max=1)
    is_best = dy.Bool(description="whether this is the best number of ranks")
    source = text("measured, interpolated or extrapolated (beyond the ranks that were measured)")
    method = text("given, profile, points or model, as in pim_curve")
    chosen = dy.Bool(description="whether this is the trace's curve of the application")


class PimModel(dy.Schema):
    """Parameters of time(r) = host + kernel_const + kernel / min(r, sat) + parallel_const + parallel / min(r, sat) +
    r (serial + duplicated + alloc), fitted to each curve by non-negative least squares.
    """

    trace = text("trace")
    curve = text("curve, as in pim_curve")
    app = text("application")
    parameter = text("parameter of the model")
    value = number("value (sat: ranks); null where the timers do not tell it", "s", nullable=True, min=0)
    low = number("smallest of the admissible values, where the fit is underdetermined", "s", nullable=True, min=0)
    high = number("largest of the admissible values", "s", nullable=True, min=0)
    determined = dy.Bool(description="whether the points determine it")
    origin = text("fitted")


class PimPrediction(dy.Schema):
    """Times that the fitted model gives, at every rank count, beside those measured."""

    trace = text("trace")
    curve = text("curve, as in pim_curve")
    app = text("application")
    ranks = count("ranks", min=1)
    measured_s = number("mean measured run time", "s", nullable=True, min_exclusive=0)
    predicted_s = number("run time by the model", "s", min=0)
    low_s = number("smallest among the admissible parameters; null = one fits best", "s", nullable=True, min=0)
    high_s = number("largest among them", "s", nullable=True, min=0)
    source = text("measured (the model stands beside it), interpolated or extrapolated")


CANONICAL = {
    "pim_runs": PimRun,
    "pim_phases": PimPhase,
    "perf_points": PerfPoint,
    "queues": QueuedApp,
    "pim_stages": PimStage,
    "pim_requests": PimRequest,
    "pim_curves": PimCurve,
    "perf_tables": PerfTable,
    "pim_models": PimModel,
    "pim_predictions": PimPrediction,
}
DATABASE_NAME = {
    "pim_runs": "pim_run",
    "pim_phases": "pim_phase",
    "perf_points": "perf_point",
    "queues": "queue",
    "pim_stages": "pim_stage",
    "pim_requests": "pim_request",
    "pim_curves": "pim_curve",
    "perf_tables": "perf_table",
    "pim_models": "pim_model",
    "pim_predictions": "pim_prediction",
}
