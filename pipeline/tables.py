"""Every canonical and result table: columns, dtypes, units, rules.

This is the one place that says what a table looks like. Readers and fits produce these tables, studies take and return
them, the warehouse copies descriptions and units into the database as comments.

A rule that a row violates has a reason code, `<column>_<what>` for rules of one column (`submit_s_negative`,
`nodes_missing`, …) or the name of the rule; rows that violate one are kept in `rejected_row`.
"""

from __future__ import annotations

import dataframely as dy
import polars as pl

MEASURED, GENERATED, FITTED, GIVEN, COMPOSED, SYNTHETIC = (
    "measured",
    "generated",
    "fitted",
    "given",
    "composed",
    "synthetic",
)


def _text(description: str, *, nullable: bool = False, **kw) -> dy.String:
    return dy.String(nullable=nullable, description=description, **kw)


def _number(description: str, unit: str, *, nullable: bool = False, **kw) -> dy.Float64:
    return dy.Float64(nullable=nullable, description=description, metadata={"unit": unit}, **kw)


def _count(description: str, *, unit: str = "1", nullable: bool = False, **kw) -> dy.Int64:
    return dy.Int64(nullable=nullable, description=description, metadata={"unit": unit}, **kw)


class Job(dy.Schema):
    """Jobs of a trace, as submitted and as they ran there."""

    trace_id = _text("trace the job belongs to")
    job_id = _text("job, unique in its trace", min_length=1)
    submit_s = _number("submission time since the trace's own origin", "s", min=0)
    nodes = _count("nodes asked for", min=1)
    walltime_s = _number("run time the user asked for; null = not known", "s", nullable=True, min_exclusive=0)
    runtime_s = _number("run time on the traced machine; null = not known", "s", nullable=True, min_exclusive=0)
    requested_memory_gb = _number("memory asked for, per node", "GB", nullable=True, min=0)
    used_memory_gb = _number("memory the log says was used, per node", "GB", nullable=True, min=0)
    user = _text("user, anonymised as in the trace", nullable=True)
    name = _text("name that the user gave the job; recurrent jobs share user and name", nullable=True)
    start_s = _number("start on the traced machine", "s", nullable=True, min=0)
    end_s = _number("end on the traced machine", "s", nullable=True, min=0)

    @dy.rule()
    def duplicate_job_id(cls) -> pl.Expr:
        """The first row of a job counts, later ones with its id are rejected."""
        return pl.struct("trace_id", "job_id").is_first_distinct()

    @dy.rule()
    def end_before_start(cls) -> pl.Expr:
        """A job ends no earlier than it starts."""
        return (pl.col("end_s") >= pl.col("start_s")).fill_null(True)


class Phase(dy.Schema):
    """Stretches of a job's life with one memory need, given in a drop or fitted from samples."""

    trace_id = _text("trace the job belongs to")
    job_id = _text("job or series", min_length=1)
    node = _text("node; null = the job as a whole (maximum over its nodes at each time)", nullable=True)
    phase = _count("position of the phase in the job, from 0", min=0)
    duration_s = _number("length of the phase at full speed", "s", min_exclusive=0)
    memory_gb = _number("memory need per node", "GB", min=0)
    origin = _text("given (in the drop) or fitted (from samples)")

    @dy.rule()
    def duplicate_phase(cls) -> pl.Expr:
        """A phase number occurs once in a job."""
        return pl.struct("trace_id", "job_id", "node", "phase").is_first_distinct()


class MemoryProfile(dy.Schema):
    """Stochastic memory profile: share of full-speed time spent at each memory level."""

    trace_id = _text("trace the job belongs to")
    job_id = _text("job or series", min_length=1)
    node = _text("node; null = the job as a whole", nullable=True)
    memory_gb = _number("memory level per node", "GB", min=0)
    probability = _number("share of full-speed time at this level", "1", min=0, max=1)
    origin = _text("given (in the drop) or fitted (from phases)")


class Sample(dy.Schema):
    """Samples of used memory. Kept as Parquet beside the database, not inside it."""

    trace_id = _text("trace the series belongs to")
    job_id = _text("job or series", min_length=1)
    node = _text("node; null where the series is of the job", nullable=True)
    time_s = _number("time since the trace's own origin", "s", min=0)
    used_gb = _number("used memory", "GB", min=0)


class Trace(dy.Schema):
    """Traces found under the trace roots, with what could be read of each."""

    trace_id = _text("trace: the drop's name, or <drop>/<file stem> where each file is a trace of its own")
    drop = _text("folder it was dropped in")
    format = _text("format it was read as; null = none recognised", nullable=True)
    status = _text("read, or refused (with the reason in rejected_row)")
    kind = _text("measured on a machine, or generated")
    nodes = _count("nodes of the traced machine; null = not known", nullable=True, min=1)
    node_memory_gb = _number("memory of a node of the traced machine; null = not known", "GB", nullable=True, min=0)
    ranks = _count("ranks of the traced PIM machine; null = not known, or none", nullable=True, min=1)
    jobs = _count("jobs read", min=0)
    samples = _count("memory samples read", min=0)
    rejected = _count("rows rejected", min=0)
    note = _text("what a reader of results should know about it", nullable=True)


class RejectedRow(dy.Schema):
    """Rows, files and drops that were not used, with the reason."""

    drop = _text("folder it was dropped in")
    trace_id = _text("trace; null where a file or the drop as a whole was refused", nullable=True)
    table_name = _text("canonical table the row was meant for; null for a file or drop", nullable=True)
    file = _text("file inside the drop; null for the drop as a whole", nullable=True)
    row = _count("row in the file, from 1 (text: line; null = the whole file)", nullable=True, min=0)
    reason = _text("reason code")
    detail = _text("what was found and what would be right")


class Provenance(dy.Schema):
    """Every file that was read."""

    drop = _text("folder it was dropped in")
    file = _text("file inside the drop")
    bytes = _count("size", unit="B", min=0)
    sha256 = _text("SHA-256 of its content", min_length=64, max_length=64)
    rows = _count("rows read, rejected ones included; null = not read as rows", nullable=True, min=0)


class GpuMemory(dy.Schema):
    """Memory used on the GPUs of a node while a job ran there: a second resource, kept beside the replays."""

    trace_id = _text("trace the job belongs to")
    job_id = _text("job", min_length=1)
    node = _text("node")
    gpu = _count("number of the GPU in its node", min=0)
    samples = _count("samples", min=1)
    mean_gb = _number("mean of the samples", "GB", min=0)
    peak_gb = _number("largest sample", "GB", min=0)


class Tally(dy.Schema):
    """What became of the rows that were read, and of the jobs they tell of: of each table, used + rejected + left_out
    is what came in. Rejected ones stand in rejected_row one by one, those left out on purpose are counted here.
    """

    trace_id = _text("trace")
    table_name = _text("canonical table the rows were meant for")
    fate = _text(
        "used, rejected (not valid), left_out (valid, of no use here), or observed (a remark on rows counted elsewhere)"
    )
    reason = _text("reason code; null for rows that were used", nullable=True)
    rows = _count("rows", min=0)
    detail = _text("what that means", nullable=True)


class Marginal(dy.Schema):
    """Marginal laws of a trace: nodes, phase length, phases a job, memory; several candidates each, `WHERE best` gives
    the nearest.
    """

    trace_id = _text("trace")
    quantity = _text(
        "nodes, phase_length_s, phases_per_job, memory_gb (weighted by phase length) or memory_by_node_time_gb "
        "(weighted by phase length times nodes)"
    )
    law = _text(
        "empirical, or a fitted law: discrete_uniform, truncated_geometric, zipf, rounded_lognormal, geometric, "
        "exponential, lognormal, weibull, gamma, uniform, beta, truncated_normal, constant"
    )
    parameter = _text(
        "of empirical: mean, sd, min, max, count, q00 … q100; of a fitted law: its parameters, count, and ks, the "
        "Kolmogorov–Smirnov distance to the empirical one"
    )
    value = _number("value of the parameter, in the unit of the quantity", "as quantity")
    best = dy.Bool(description="whether this is the fitted law with the smallest distance")
    origin = _text("fitted")


class Distribution(dy.Schema):
    """Empirical distribution functions of the marginals of a trace (HiPC 2024, Figures 1 and 3), at most 200 points
    each.
    """

    trace_id = _text("trace")
    quantity = _text("quantity, as in marginal")
    value = _number("value, in the unit of the quantity", "as quantity")
    share = _number("share that is at most this value: of jobs, phases, phase time or node time", "1", min=0)
    exact = dy.Bool(
        description="whether the rows are all values there are (the function is a step at each); else it is to be "
        "taken as linear between them"
    )
    origin = _text("fitted")


class TemporalClass(dy.Schema):
    """Temporal class of each job's memory use (Peng et al., MEMSYS 2021), with the measures that decided; the rules
    stand in pipeline/fit/temporal.py.
    """

    trace_id = _text("trace the job belongs to")
    job_id = _text("job or series", min_length=1)
    temporal_class = _text("constant, phased, dynamic or sporadic")
    duration_s = _number("length of the job's phases together", "s", min_exclusive=0)
    phases = _count("phases of the job", min=1)
    mean_phase_s = _number("mean length of its phases", "s", min_exclusive=0)
    relative_spread = _number("1 - least / largest memory of its phases", "1", min=0, max=1)
    high_share = _number("share of time with more than half of its largest memory", "1", min=0, max=1)
    step_s = _number(
        "sampling step of the trace, estimated from its shortest phases; null where all jobs have one phase",
        "s",
        nullable=True,
        min_exclusive=0,
    )
    origin = _text("fitted")


class RecurrentProfile(dy.Schema):
    """Stochastic memory profiles of recurrent jobs: share of the time of all runs spent at each memory level."""

    trace_id = _text("trace")
    recurrent_job = _text("recurrent job: its user with the name, or where it has none the nodes, that its runs share")
    runs = _count("runs with known memory", min=2)
    memory_gb = _number("memory level per node", "GB", min=0)
    probability = _number("share of the runs' full-speed time at this level", "1", min=0, max=1)
    origin = _text("fitted")


class RecurrentRun(dy.Schema):
    """Runs of recurrent jobs, and how far each is from what the other runs foretell."""

    trace_id = _text("trace")
    recurrent_job = _text("recurrent job")
    job_id = _text("job that is a run of it", min_length=1)
    duration_s = _number("length of the run's phases together", "s", min_exclusive=0)
    mean_memory_gb = _number("mean memory of the run per node, by time", "GB", min=0)
    kolmogorov_distance = _number(
        "largest difference of the distribution functions of memory over time, of the run and of the other runs",
        "1",
        min=0,
        max=1,
    )
    wasserstein_gb = _number("area between the two (Wasserstein-1 distance)", "GB", min=0)
    wasserstein_to_trace_gb = _number("the same to all other jobs of the trace, recurrent or not", "GB", min=0)
    origin = _text("fitted")


class PimRun(dy.Schema):
    """Runs of PrIM applications on a PIM machine, from their logs: one row a line of results, its timers summed by
    phase of the run.
    """

    trace_id = _text("trace: the drop's name, with the folder of the logs where they lie in one")
    app = _text("application", min_length=1)
    log = _text("log file inside the drop", min_length=1)
    run = _count("position of the run in its log, from 0: logs are appended to, so these are repetitions", min=0)
    line = _count("line of the log that the results begin in", min=1)
    variant = _text("variant of the application that the path names, as old; null = none", nullable=True)
    experiment = _text(
        "weak (input grows with the DPUs), strong_rank (up to one rank) or strong_full (many ranks), by the log's "
        "name; null = it does not tell",
        nullable=True,
    )
    dpus = _count("DPUs, by the file's name or else the log; null = neither tells", nullable=True, min=1)
    ranks = _count("ranks of up to 64 DPUs that these are, dpus / 64 rounded up", nullable=True, min=1)
    dpus_per_rank = _number("DPUs a rank: ranks of 60 and of 64 DPUs are not compared", "1", nullable=True)
    tasklets = _count("tasklets a DPU", nullable=True, min=1)
    block_size = _count("BL: block size, as a power of two in bytes", nullable=True, min=0)
    input = _text("size of the input as the log or its name states it; null = not stated", nullable=True)
    time_s = _number("run time: all timers but that of the CPU version", "s", min_exclusive=0)
    cpu_s = _number("CPU version, for comparison; no part of the run", "s", nullable=True, min=0)
    host_s = _number("work of the host program", "s", nullable=True, min=0)
    alloc_s = _number("allocation of ranks and loading of programs", "s", nullable=True, min=0)
    cpu_dpu_s = _number("transfer to the DPUs", "s", nullable=True, min=0)
    kernel_s = _number("kernels on the DPUs", "s", nullable=True, min=0)
    inter_dpu_s = _number("exchange between DPUs, through the host", "s", nullable=True, min=0)
    dpu_cpu_s = _number("transfer from the DPUs", "s", nullable=True, min=0)
    outputs = _text("what the log says of the outputs: ok, failed, absent, or truncated (the log ends in the results)")
    verified = dy.Bool(description="whether the log says that the outputs are right")
    excluded = _text(
        "why it stands on no curve of time against ranks: dpus_unknown, check_failed, check_absent (of an application "
        "that prints one), truncated, copied_log or weak_scaling; null = it may",
        nullable=True,
    )
    note = _text("what is odd about it", nullable=True)

    @dy.rule()
    def duplicate_run(cls) -> pl.Expr:
        """A run of a log occurs once."""
        return pl.struct("trace_id", "log", "run").is_first_distinct()


class PimPhase(dy.Schema):
    """Timers of the runs of PrIM applications, one by one as they are printed."""

    trace_id = _text("trace")
    app = _text("application", min_length=1)
    log = _text("log file inside the drop", min_length=1)
    run = _count("position of the run in its log, from 0", min=0)
    position = _count("position of the timer in its run, from 0", min=0)
    label = _text("label as printed", min_length=1)
    phase = _text("cpu, host, alloc, cpu_dpu, kernel, inter_dpu or dpu_cpu")
    time_s = _number("time", "s", min=0)

    @dy.rule()
    def duplicate_timer(cls) -> pl.Expr:
        """A timer of a run occurs once."""
        return pl.struct("trace_id", "log", "run", "position").is_first_distinct()


class PerfPoint(dy.Schema):
    """Times of applications at rank counts, given in a drop: a profile, or a whole performance table."""

    trace_id = _text("trace")
    app = _text("application", min_length=1)
    ranks = _count("ranks", min=1)
    time_s = _number("run time on so many ranks", "s", min_exclusive=0)
    best_ranks = _count("best number of ranks of the application, as the user notes it", nullable=True, min=1)
    source = _text("measured (also where null), interpolated or extrapolated", nullable=True)

    @dy.rule()
    def duplicate_ranks(cls) -> pl.Expr:
        """An application has one time at a rank count."""
        return pl.struct("trace_id", "app", "ranks").is_first_distinct()


class QueuedApp(dy.Schema):
    """Queue of applications that share the ranks of a PIM machine."""

    trace_id = _text("trace")
    job_id = _text("job, unique in its queue", min_length=1)
    app = _text("application, one that has a performance table", min_length=1)
    arrival_s = _number("arrival since the queue's own origin", "s", min=0)

    @dy.rule()
    def duplicate_job_id(cls) -> pl.Expr:
        """The first row of a job counts, later ones with its id are rejected."""
        return pl.struct("trace_id", "job_id").is_first_distinct()


class PimStage(dy.Schema):
    """Stages of applications on a PIM machine, for schedulers that free ranks between them."""

    trace_id = _text("trace")
    app = _text("application", min_length=1)
    stage = _count("position of the stage in its application, from 0", min=0)
    kind = _text("host_pre, kernel, host_mid or host_post")
    time_s = _number("time of a host stage", "s", nullable=True, min=0)
    input_s = _number("transfer to the DPUs before a kernel", "s", nullable=True, min=0)
    kernel_s = _number("kernel", "s", nullable=True, min=0)
    output_s = _number("transfer from the DPUs after a kernel", "s", nullable=True, min=0)
    serial_s = _number("part of a kernel stage that does not shrink with more ranks", "s", nullable=True, min=0)

    @dy.rule()
    def duplicate_stage(cls) -> pl.Expr:
        """A stage number occurs once in an application."""
        return pl.struct("trace_id", "app", "stage").is_first_distinct()

    @dy.rule()
    def kind_unknown(cls) -> pl.Expr:
        """A stage is host work before, between or after kernels, or a kernel."""
        return pl.col("kind").is_in(["host_pre", "kernel", "host_mid", "host_post"])


class PimRequest(dy.Schema):
    """Rank counts that users ask for, for schedulers that grant requests."""

    trace_id = _text("trace")
    app = _text("application", min_length=1)
    ranks = _count("ranks asked for", min=1)

    @dy.rule()
    def duplicate_app(cls) -> pl.Expr:
        """An application has one request."""
        return pl.struct("trace_id", "app").is_first_distinct()


class PimCurve(dy.Schema):
    """Curves of time against ranks that a trace holds: runs of one application that differ in the ranks only, or times
    that were given.
    """

    trace_id = _text("trace")
    curve = _text("application and all that its runs have in common")
    app = _text("application")
    variant = _text("variant of the application", nullable=True)
    experiment = _text("experiment of the runs", nullable=True)
    dpus_per_rank = _number("DPUs a rank; null = not told", "1", nullable=True)
    tasklets = _count("tasklets a DPU", nullable=True)
    block_size = _count("BL", nullable=True)
    input = _text("size of the input; null = not stated, taken to be the same in all runs of a folder", nullable=True)
    runs = _count("runs", min=1)
    points = _count("rank counts that were measured", min=1)
    least_ranks = _count("smallest of them", min=1)
    most_ranks = _count("largest of them", min=1)
    max_ranks = _count("ranks of the machine that the table is made for", min=1)
    method = _text(
        "how its table is made: given (a time at every rank count), profile (all profile points), model (fitted to the "
        "points); null = none is",
        nullable=True,
    )
    status = _text(
        "determined, underdetermined (fewer points than free terms of the model) or one_measurement (no curve: used "
        "nowhere)"
    )
    free_terms = _count("free terms of the model", nullable=True)
    residual_s = _number("root mean square difference of the model from the points", "s", nullable=True, min=0)
    relative_residual = _number("the same as a share of the mean time", "1", nullable=True, min=0)
    best_ranks = _count("best number of ranks by Algorithm 1, or as the user notes it", nullable=True, min=1)
    least_best_ranks = _count("smallest best number among the admissible parameters", nullable=True, min=1)
    most_best_ranks = _count("largest best number among the admissible parameters", nullable=True, min=1)
    chosen = dy.Bool(
        description="whether it is the trace's curve of its application, the one with the most points (then ranks, "
        "tasklets, runs): studies replay it"
    )
    note = _text("what is odd about it", nullable=True)


class PerfTable(dy.Schema):
    """Performance tables (PIM-CARE, Algorithm 1): time and relative speed of each curve at every rank count."""

    trace_id = _text("trace")
    curve = _text("curve, as in pim_curve")
    app = _text("application")
    ranks = _count("ranks", min=1)
    time_s = _number("run time", "s", min_exclusive=0)
    perf = _number("speed as a share of the largest of the table", "1", min=0, max=1)
    is_best = dy.Bool(description="whether this is the best number of ranks")
    source = _text("measured, interpolated or extrapolated (beyond the ranks that were measured)")
    method = _text("given, profile or model, as in pim_curve")
    chosen = dy.Bool(description="whether this is the trace's curve of the application")


class PimModel(dy.Schema):
    """Parameters of time(r) = host + kernel_const + kernel / min(r, sat) + parallel_const + parallel / min(r, sat) +
    r (serial + duplicated + alloc), fitted to each curve by non-negative least squares.
    """

    trace_id = _text("trace")
    curve = _text("curve, as in pim_curve")
    app = _text("application")
    parameter = _text("parameter of the model")
    value = _number("value (sat: ranks); null where the timers do not tell it", "s", nullable=True, min=0)
    low = _number("smallest of the admissible values, where the fit is underdetermined", "s", nullable=True, min=0)
    high = _number("largest of the admissible values", "s", nullable=True, min=0)
    determined = dy.Bool(description="whether the points determine it")
    origin = _text("fitted")


class PimPrediction(dy.Schema):
    """Times that the fitted model gives, at every rank count, beside those measured."""

    trace_id = _text("trace")
    curve = _text("curve, as in pim_curve")
    app = _text("application")
    ranks = _count("ranks", min=1)
    measured_s = _number("mean measured run time", "s", nullable=True, min_exclusive=0)
    predicted_s = _number("run time by the model", "s", min=0)
    low_s = _number("smallest among the admissible parameters, where underdetermined", "s", nullable=True, min=0)
    high_s = _number("largest among them", "s", nullable=True, min=0)
    source = _text("measured (the model stands beside it), interpolated or extrapolated")


class Metric(dy.Schema):
    """Measures of a scenario, one row a measure."""

    scenario_id = _text("scenario")
    metric = _text("name of the measure, with its unit as suffix where it has one")
    value = _number("value; null where it is not defined", "as metric", nullable=True)


class Scheduler(dy.Schema):
    """Schedulers of all studies: one file each."""

    study = _text("study")
    scheduler = _text("name, as in scenario.scheduler")
    simplicity = _count("rank by what the scheduler needs to know and do, 0 = least; ties go to the simpler one", min=0)
    description = _text("what it does, and its source")


class Setting(dy.Schema):
    """What the results were made with: the configuration, and the versions of what computed them."""

    key = _text("key of the configuration, or version.<library>")
    value = _text("value, as JSON")


class Scenario(dy.Schema):
    """One row a run; parameters that a study does not have are null."""

    scenario_id = _text("scenario, unique across studies")
    study = _text("study")
    scheduler = _text("scheduler")
    seed = _count("batch of the workload; with the master seed (table setting) it gives every random number", min=0)
    workload_id = _text("workload", nullable=True)
    nodes = _count("nodes of the machine", nullable=True, min=1)
    memory_gb = _number("fast memory of the whole machine; null = unlimited", "GB", nullable=True, min=0)
    memory_per_node_gb = _number("fast memory of the machine divided by its nodes", "GB", nullable=True, min=0)
    alpha = _number("speed of a job without fast memory, as a share of full speed", "1", nullable=True, max=1)
    tau_s = _number("duration of a reconfiguration of the memory", "s", nullable=True, min=0)
    reconfiguration = _text("serial, incremental or restart", nullable=True)
    backfilling = _text("easy, easy_per_event, fcfs or memory_aware_easy", nullable=True)
    free_start = dy.Bool(nullable=True, description="whether memory decided at a job's start is usable at once")
    largest_by = _text("size for largest_first: memory or nodes", nullable=True)
    timeline = dy.Bool(nullable=True, description="whether the replay is kept instant by instant")
    ranks = _count("ranks of the PIM machine", nullable=True, min=1)
    table_id = _text("set of performance tables that its applications have", nullable=True)
    window = _count("scheduling window of PIM-CARE", nullable=True, min=1)
    ooo_window = _count("how far sm_opt_ooo looks down the queue; null = to its end", nullable=True, min=1)
    perf_at = _text("ranks at which PIM-CARE looks up speeds: leftover or available", nullable=True)
    overhead = _number("cost of the scheduler as a share of execution time; null = its own", "1", nullable=True, min=0)
    coop_limit = _number("Fine's rank-time over Coarse's up to which Co-op runs Fine", "1", nullable=True, min=0)
    objective = _text("what optimal minimises: makespan or att", nullable=True)
    grid = _text("coarse (as configured) or refined (placed by what the coarse ones gave)")
    code_version = _text("hash of the source files that the replay ran")


class Workload(dy.Schema):
    """Workloads of hpc_memory: where their jobs come from."""

    workload_id = _text("workload")
    family = _text("workload without its batch: workloads of one family differ in the batch only")
    kind = _text("phased or dynamic (synthetic), replayed (a trace's own jobs) or composed")
    trace_id = _text("trace the jobs, or the laws they are drawn from, come from; null for others", nullable=True)
    shapes = _text("trace the memory series of a composed workload come from", nullable=True)
    batch = _count("batch: independent repetition", min=0)
    load = _number("offered load of a synthetic workload", "1", nullable=True)
    release = _text("rule of the gaps between releases: load or printed", nullable=True)
    job_nodes = _text("law of the nodes a job: uniform or marconi100; of a trace, as in marginal", nullable=True)
    memory_law = _text("law of the memory a phase", nullable=True)
    laws = _text(
        "documented, fitted to a trace or empirical (of a trace); null where jobs are not drawn", nullable=True
    )
    tau_s = _number("length of the phases of a dynamic workload, one reconfiguration", "s", nullable=True)
    nodes = _count("nodes of the machine it is made for", min=1)
    node_memory_gb = _number(
        "memory a node that savings are counted from: the traced machine's, or the paper's 256 GB (synthetic; "
        "composed: scaled as the memory is); null = not known",
        "GB",
        nullable=True,
    )
    jobs = _count("jobs", min=0)
    jobs_left_out = _count("jobs of the trace that are not in it (limit of jobs, or no memory known)", min=0)
    mean_memory_gb = _number("mean memory a node in use, by node-seconds", "GB", nullable=True)
    origin = _text("synthetic, fitted (drawn from a trace's laws), measured, generated or composed")


class HpcMemoryJob(dy.Schema):
    """Jobs of the workloads of hpc_memory."""

    workload_id = _text("workload")
    job_id = _text("job, unique in its workload")
    submit_s = _number("release", "s")
    nodes = _count("nodes asked for", min=1)
    walltime_s = _number("estimate used by backfilling; null = T_opt / alpha", "s", nullable=True)


class HpcMemoryOutcome(dy.Schema):
    """Start and end of each job in each scenario of hpc_memory."""

    scenario_id = _text("scenario")
    job_id = _text("job")
    start_s = _number("start; null = rejected", "s", nullable=True)
    end_s = _number("end; null = rejected", "s", nullable=True)
    rejected = _text("why the job was not run; null = it was", nullable=True)


class HpcMemoryTimeline(dy.Schema):
    """State of each running job whenever it changes, for the scenarios that keep a timeline."""

    scenario_id = _text("scenario")
    job_id = _text("job")
    phase = _count("phase it is in, from 0", min=0)
    time_s = _number("instant from which this holds", "s")
    need_gb = _number("memory the job needs in this phase, all its nodes", "GB")
    target_gb = _number("memory allotted to it", "GB")
    usable_gb = _number("memory it can use by now", "GB")
    speed = _number("speed as a share of full speed; 0 = the job has ended", "1")


class PimRanksWorkload(dy.Schema):
    """Workloads of pim_ranks: where their jobs come from."""

    workload_id = _text("workload")
    family = _text("workload without its batch: workloads of one family differ in the batch only")
    kind = _text("sets (W1 to W5 of the paper), virtual_pim (proxies of VW1 to VW5) or queue (of a trace)")
    set_name = _text("set, as W3 or VW5; null for others", nullable=True)
    trace_id = _text("trace that the queue or the performance tables come from; null for others", nullable=True)
    batch = _count("batch: independent repetition", min=0)
    arrival = _text("queued (all at once), poisson or traced")
    load = _number("offered load of Poisson arrivals", "1", nullable=True)
    jobs = _count("jobs", min=0)
    host_share = _number("host work of a proxy, as a share of its least time", "1", nullable=True)
    origin = _text("synthetic (tables drawn to agree with Table 2), proxy, measured or generated (as the trace is)")


class PimRanksJob(dy.Schema):
    """Queues of the workloads of pim_ranks."""

    workload_id = _text("workload")
    job_id = _text("job, unique in its workload")
    app = _text("application")
    arrival_s = _number("arrival", "s")


class PimRanksTable(dy.Schema):
    """Performance tables that the workloads of pim_ranks are replayed with."""

    table_id = _text("set of tables, as in scenario")
    app = _text("application")
    ranks = _count("ranks", min=1)
    time_s = _number("run time on so many ranks", "s", min_exclusive=0)


class PimRanksOutcome(dy.Schema):
    """Ranks, start and end of each job in each scenario of pim_ranks."""

    scenario_id = _text("scenario")
    job_id = _text("job")
    ranks = _count("ranks granted, or requested of VirtualPIM; null = rejected", nullable=True)
    start_s = _number("first rank held; null = rejected", "s", nullable=True)
    end_s = _number("end, of host work too; null = rejected", "s", nullable=True)
    freed_s = _number("last rank given back; null = rejected", "s", nullable=True)
    rejected = _text("why the job was not run; null = it was", nullable=True)


class Claim(dy.Schema):
    """The papers' claims, held against what the replays give."""

    id = _text("claim")
    study = _text("study")
    source = _text("paper, section, figure")
    statement = _text("what the paper says")
    paper_value = _number("the paper's value; 1 for a claim that is said to hold", "as claim", nullable=True)
    unit = _text("unit of value: share, points, yes/no, …")
    value = _number("ours: mean, or share of seeds in which a yes/no claim holds", "as claim", nullable=True)
    lo = _number("lower end of the 95 % interval (Student's t; Wilson for yes/no)", "as claim", nullable=True)
    hi = _number("upper end of the 95 % interval", "as claim", nullable=True)
    replicates = _count("independent workloads behind the value", min=0)
    verdict = _text("reproduced, reproduced in part, not reproduced, input or not derivable")
    robustness = _number(
        "share of admissible settings in which it is reproduced; null = one setting", "1", nullable=True
    )
    settings = _text("the admissible settings, each with its value and verdict", nullable=True)
    configuration = _text("what the value was taken from")
    rule = _text("verdict rule")
    sql = _text("query that gives the values")


class ClaimPart(dy.Schema):
    """Parts of claims that consist of several numbers; the claim's value is the share of parts that are met."""

    id = _text("claim")
    part = _text("part")
    paper_value = _number("the paper's value", "as claim", nullable=True)
    value = _number("ours", "as claim", nullable=True)
    lo = _number("lower end of the 95 % interval", "as claim", nullable=True)
    hi = _number("upper end of the 95 % interval", "as claim", nullable=True)
    verdict = _text("verdict on the part")


CANONICAL: dict[str, type[dy.Schema]] = {
    "jobs": Job,
    "phases": Phase,
    "profiles": MemoryProfile,
    "samples": Sample,
    "traces": Trace,
    "rejected_rows": RejectedRow,
    "provenance": Provenance,
    "tallies": Tally,
    "gpu_memory": GpuMemory,
    "marginals": Marginal,
    "distributions": Distribution,
    "temporal_classes": TemporalClass,
    "recurrent_profiles": RecurrentProfile,
    "recurrent_runs": RecurrentRun,
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
"""Canonical tables by the name that drops, Parquet files and the studies' catalog use."""

DATABASE_NAME = {
    "jobs": "job",
    "phases": "phase",
    "profiles": "memory_profile",
    "traces": "trace",
    "rejected_rows": "rejected_row",
    "provenance": "provenance",
    "tallies": "tally",
    "gpu_memory": "gpu_memory",
    "marginals": "marginal",
    "distributions": "distribution",
    "temporal_classes": "temporal_class",
    "recurrent_profiles": "recurrent_profile",
    "recurrent_runs": "recurrent_run",
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
"""Name in the database of each canonical table that is loaded there (samples stay in Parquet)."""

RESULTS: dict[str, type[dy.Schema]] = {
    "scheduler": Scheduler,
    "setting": Setting,
    "scenario": Scenario,
    "metric": Metric,
    "workload": Workload,
    "job_hpc_memory": HpcMemoryJob,
    "outcome_hpc_memory": HpcMemoryOutcome,
    "timeline_hpc_memory": HpcMemoryTimeline,
    "workload_pim_ranks": PimRanksWorkload,
    "queue_pim_ranks": PimRanksJob,
    "perf_table_pim_ranks": PimRanksTable,
    "outcome_pim_ranks": PimRanksOutcome,
    "claim": Claim,
    "claim_part": ClaimPart,
}
"""Result tables by their name in the database."""

STUDY_FILES: dict[str, dict[str, tuple[str, str]]] = {
    "hpc_memory": {
        "outcome_hpc_memory": ("replay", "outcomes"),
        "timeline_hpc_memory": ("replay", "timeline"),
        "job_hpc_memory": ("scenarios", "jobs"),
        "workload": ("scenarios", "workloads"),
    },
    "pim_ranks": {
        "outcome_pim_ranks": ("replay", "outcomes"),
        "queue_pim_ranks": ("scenarios", "queue"),
        "perf_table_pim_ranks": ("scenarios", "perf_tables"),
        "workload_pim_ranks": ("scenarios", "workloads"),
    },
}
"""For each study its tables in the database: the stage whose folders hold their rows, and the files' stem."""

_SUFFIX = {
    "nullability": "missing",
    "nan": "not_a_number",
    "inf": "infinite",
    "min": "too_small",
    "min_exclusive": "not_positive",
    "max": "too_large",
    "min_length": "empty",
}


def reason_code(rule: str) -> str:
    """Reason code of a dataframely rule name: `submit_s|min` → `submit_s_negative`, named rules as they are."""
    column, separator, what = rule.partition("|")
    if not separator:
        return rule
    if what == "min" and column.endswith(("_s", "_gb", "probability")):
        return f"{column}_negative"
    return f"{column}_{_SUFFIX.get(what, what)}"


def empty(schema: type[dy.Schema]) -> pl.DataFrame:
    """A frame of the schema without rows."""
    return pl.DataFrame(schema=polars_schema(schema))


def polars_schema(schema: type[dy.Schema]) -> dict[str, pl.DataType]:
    """Column names and polars dtypes of a schema, in order."""
    return {name: column.dtype for name, column in schema.columns().items()}


def conform(frame: pl.DataFrame, schema: type[dy.Schema]) -> pl.DataFrame:
    """The schema's columns in its order and dtypes; absent nullable ones become null.

    Raises ValueError naming a required column that is absent.
    """
    wanted = schema.columns()
    missing = [name for name, column in wanted.items() if name not in frame.columns and not column.nullable]
    if missing:
        raise ValueError(f"{schema.__name__}: missing column {', '.join(missing)}; found {', '.join(frame.columns)}")
    return frame.select(
        (pl.col(name) if name in frame.columns else pl.lit(None)).cast(column.dtype).alias(name)
        for name, column in wanted.items()
    )
