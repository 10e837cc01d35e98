"""Jobs of HPC machines and the memory they use: as traced, and as fitted."""

from __future__ import annotations

import dataframely as dy
import polars as pl

from pipeline.tables.columns import LIFE_S, LONGEST_LIMIT_S, count, number, text


class Job(dy.Schema):
    """Jobs of a trace, as submitted and as they ran there."""

    trace = text("trace the job belongs to")
    job_id = text("job, unique in its trace", min_length=1)
    submit_s = number("submission time since the trace's own origin", "s", min=0, max=LIFE_S)
    nodes = count("nodes asked for", min=1)
    walltime_s = number(
        "run time the user asked for; null = not known", "s", nullable=True, min_exclusive=0, max=LONGEST_LIMIT_S
    )
    runtime_s = number(
        "run time on the traced machine; null = not known", "s", nullable=True, min_exclusive=0, max=LIFE_S
    )
    requested_memory_gb = number("memory asked for, per node", "GB", nullable=True, min=0)
    used_memory_gb = number("memory the log says was used, per node", "GB", nullable=True, min=0)
    user = text("user, anonymised as in the trace", nullable=True)
    name = text("name that the user gave the job; recurrent jobs share user and name", nullable=True)
    partition = text("partition of the machine, or queue, that the job ran in; null = not known", nullable=True)
    start_s = number("start on the traced machine", "s", nullable=True, min=0, max=LIFE_S)
    end_s = number("end on the traced machine", "s", nullable=True, min=0, max=LIFE_S)
    position = count(
        "place of the job in its log, from 0, which orders simultaneous submissions; null = not known",
        nullable=True,
        min=0,
    )
    sensitivity = number(
        "slowdown less one with all memory in a pool, measured or estimated per job; null = not known",
        "1",
        nullable=True,
        min=0,
    )

    @dy.rule()
    def duplicate_job_id(cls) -> pl.Expr:
        """The first row of a job counts, later ones with its id are rejected."""
        return pl.struct("trace", "job_id").is_first_distinct()

    @dy.rule()
    def end_before_start(cls) -> pl.Expr:
        """A job ends no earlier than it starts."""
        return (pl.col("end_s") >= pl.col("start_s")).fill_null(True)


class Phase(dy.Schema):
    """Stretches of a job's life with one memory need, given in a drop or fitted from samples."""

    trace = text("trace the job belongs to")
    job_id = text("job or series", min_length=1)
    node = text(
        "node; null = the job as a whole (mean over its nodes at each time, or maximum: fit.node_memory)", nullable=True
    )
    phase = count("position of the phase in the job, from 0", min=0)
    duration_s = number("length of the phase at full speed", "s", min_exclusive=0, max=LIFE_S)
    memory_gb = number("memory need per node", "GB", min=0)
    origin = text("given (in the drop) or fitted (from samples)")

    @dy.rule()
    def duplicate_phase(cls) -> pl.Expr:
        """A phase number occurs once in a job."""
        return pl.struct("trace", "job_id", "node", "phase").is_first_distinct()


class MemoryProfile(dy.Schema):
    """Stochastic memory profile: share of full-speed time spent at each memory level."""

    trace = text("trace the job belongs to")
    job_id = text("job or series", min_length=1)
    node = text("node; null = the job as a whole", nullable=True)
    memory_gb = number("memory level per node", "GB", min=0)
    probability = number("share of full-speed time at this level", "1", min=0, max=1)
    origin = text("given (in the drop) or fitted (from phases)")


class Sample(dy.Schema):
    """Samples of used memory. Kept as Parquet beside the database, not inside it."""

    trace = text("trace the series belongs to")
    job_id = text("job or series", min_length=1)
    node = text("node; null where the series is of the job", nullable=True)
    time_s = number("time since the trace's own origin", "s", min=0, max=LIFE_S)
    used_gb = number("used memory", "GB", min=0)


class GpuMemory(dy.Schema):
    """Memory used on the GPUs of a node while a job ran there: a second resource, kept beside the replays."""

    trace = text("trace the job belongs to")
    job_id = text("job", min_length=1)
    node = text("node")
    gpu = count("number of the GPU in its node", min=0)
    samples = count("samples", min=1)
    mean_gb = number("mean of the samples", "GB", min=0)
    peak_gb = number("largest sample", "GB", min=0)


class Marginal(dy.Schema):
    """Marginal laws of a trace: nodes, phase length, phases per job, memory; several candidates each, `WHERE best` is
    the nearest.
    """

    trace = text("trace")
    quantity = text(
        "nodes, phase_length_s, phases_per_job, memory_gb (weighted by phase length) or memory_by_node_time_gb "
        "(weighted by phase length times nodes)"
    )
    law = text(
        "empirical, or a fitted law: discrete_uniform, truncated_geometric, zipf, rounded_lognormal, geometric, "
        "exponential, lognormal, weibull, gamma, uniform, beta, truncated_normal, constant"
    )
    parameter = text(
        "of empirical: mean, sd, min, max, count, q00 … q100; of a fitted law: its parameters, count, and ks, the "
        "Kolmogorov–Smirnov distance to the empirical one"
    )
    value = number("value of the parameter, in the unit of the quantity", "as quantity")
    best = dy.Bool(description="whether this is the fitted law with the smallest distance")
    origin = text("fitted")


class Distribution(dy.Schema):
    """Empirical distribution functions of the marginals of a trace (HiPC 2024, Figures 1 and 3), at most 200 points
    each.
    """

    trace = text("trace")
    quantity = text("quantity, as in marginal")
    value = number("value, in the unit of the quantity", "as quantity")
    share = number("share that is at most this value: of jobs, phases, phase time or node time", "1", min=0)
    exact = dy.Bool(
        description="whether the rows are all values there are (the function is a step at each); else it is to be "
        "taken as linear between them"
    )
    origin = text("fitted")


class TemporalClass(dy.Schema):
    """Temporal class of each job's memory use (Peng et al., MEMSYS 2021), with the measures that decided; the rules
    stand in pipeline/fit/temporal.py.
    """

    trace = text("trace the job belongs to")
    job_id = text("job or series", min_length=1)
    temporal_class = text("constant, phased, dynamic or sporadic")
    duration_s = number("length of the job's phases together", "s", min_exclusive=0)
    phases = count("phases of the job", min=1)
    mean_phase_s = number("mean length of its phases", "s", min_exclusive=0)
    relative_spread = number("1 - least / largest memory of its phases", "1", min=0, max=1)
    high_share = number("share of time with more than half of its largest memory", "1", min=0, max=1)
    step_s = number(
        "sampling step of the trace, estimated from its shortest phases; null where all jobs have one phase",
        "s",
        nullable=True,
        min_exclusive=0,
    )
    origin = text("fitted")


CANONICAL = {
    "jobs": Job,
    "phases": Phase,
    "profiles": MemoryProfile,
    "samples": Sample,
    "gpu_memory": GpuMemory,
    "marginals": Marginal,
    "distributions": Distribution,
    "temporal_classes": TemporalClass,
}
DATABASE_NAME = {
    "jobs": "job",
    "phases": "phase",
    "profiles": "memory_profile",
    "gpu_memory": "gpu_memory",
    "marginals": "marginal",
    "distributions": "distribution",
    "temporal_classes": "temporal_class",
}
