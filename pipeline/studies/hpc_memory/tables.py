"""Workloads and results of hpc_memory."""

from __future__ import annotations

import dataframely as dy

from pipeline.tables.columns import count, number, text


class Workload(dy.Schema):
    """Workloads of hpc_memory: where their jobs come from."""

    workload_id = text("workload")
    family = text("workload without its batch: workloads of one family differ in the batch only")
    kind = text("phased or dynamic (synthetic), replayed (a trace's own jobs) or composed")
    trace = text("trace the jobs, or the laws they are drawn from, come from; null for others", nullable=True)
    shapes = text(
        "trace the memory series of a composed workload come from; null for others, and where laws are assumed",
        nullable=True,
    )
    batch = count("batch: independent repetition", min=0)
    load = number("offered load of a synthetic workload", "1", nullable=True)
    release = text("rule of the gaps between releases: load or printed", nullable=True)
    job_nodes = text("law of the nodes per job: uniform or marconi100; of a trace, as in marginal", nullable=True)
    memory_law = text("law of the memory per phase", nullable=True)
    law_spread = text(
        "how far the documented laws of a phased workload spread where that is not as assumed by default", nullable=True
    )
    laws = text("documented, fitted to a trace or empirical (of a trace); null where jobs are not drawn", nullable=True)
    tau_s = number("length of the phases of a dynamic workload, one reconfiguration", "s", nullable=True)
    nodes = count("nodes of the machine it is made for", min=1)
    cores_per_node = count("cores of a node where `nodes` counts cores and they are known, else 1", min=1)
    node_memory_gb = number(
        "memory per node that savings are counted from: the traced machine's, or the paper's 256 GB (synthetic); "
        "null = not known, or the memory is assumed (composed)",
        "GB",
        nullable=True,
    )
    jobs = count("jobs", min=0)
    jobs_left_out = count(
        "jobs of the trace, or of its part of a long one, that are not in it (limit of jobs, or no run time known)",
        min=0,
    )
    knowledge = text(
        "what schedulers know of its jobs' memory by default: history where a log has users and ends of jobs, else own"
    )
    spans = count("parts that its replays after the warm-up are cut into", min=1)
    offered_load = number(
        "node-seconds at full speed over nodes times the time between first and last release; null = no such time",
        "1",
        nullable=True,
    )
    memory_origin = text(
        "what the memory of its jobs is: measured, default_like, default or requested (as in trace), assumed (a log "
        "without memory, composed with another trace's or with documented laws), synthetic or fitted (drawn)"
    )
    memory_assumed = number(
        "share of node time whose memory is assumed; of a replayed log that of jobs without memory, which take that of "
        "other jobs of the log",
        "1",
        min=0,
        max=1,
    )
    mean_memory_gb = number("mean memory per node in use, by node-seconds", "GB", nullable=True)
    origin = text(
        "synthetic, fitted (drawn from a trace's laws), measured or generated (as the trace is), composed (memory of "
        "another trace) or assumed (memory by documented laws)"
    )


class HpcMemoryJob(dy.Schema):
    """Jobs of the workloads of hpc_memory."""

    workload_id = text("workload")
    job_id = text("job, unique in its workload")
    submit_s = number("release", "s")
    nodes = count("nodes asked for", min=1)
    walltime_s = number("estimate used by backfilling; null = T_opt / alpha", "s", nullable=True)
    position = count("place in the order of jobs released together; null = by job_id", nullable=True, min=0)
    user = text("user in the log; null = not known", nullable=True)
    name = text("name that the user gave it in the log; null = not known", nullable=True)
    log_start_s = number("start in the log; null = not known", "s", nullable=True)
    log_end_s = number("end in the log; null = not known", "s", nullable=True)
    requested_memory_gb = number("memory asked for, per node; null = not known", "GB", nullable=True)


class HpcMemoryOutcome(dy.Schema):
    """Start and end of each job in each scenario of hpc_memory."""

    scenario_id = text("scenario")
    job_id = text("job")
    start_s = number("start; null = rejected", "s", nullable=True)
    end_s = number("end; null = rejected", "s", nullable=True)
    rejected = text("why the job was not run; null = it was", nullable=True)


class HpcMemorySpan(dy.Schema):
    """Parts of equal length of a replay after its warm-up, the first tenth of the time of releases: what intervals of
    its steady measures are resampled from.
    """

    scenario_id = text("scenario")
    span = count("number of the part, from 0", min=0)
    jobs = count("jobs released in it", min=0)
    node_s = number("nodes of the machine times the length of the part", "s")
    useful_node_s = number("useful node-seconds in it", "s")
    response_s = number("sum of the response times of the jobs released in it", "s")
    wait_s = number("sum of their waiting times", "s")
    slowdown = number("sum of their bounded slowdowns: response over run time, which counts as 10 s at least", "1")


class HpcMemorySteady(dy.Schema):
    """Measures after the warm-up of each workload, scheduler and memory, at the study's default parameters, over all
    batches and spans; 95 % intervals by block bootstrap (null from fewer than five blocks).
    """

    workload = text("workload without its batch")
    scheduler = text("scheduler")
    memory_per_node_gb = number(
        "fast memory of the machine divided by its nodes; null = unlimited", "GB", nullable=True
    )
    blocks = count("spans of time, or batches, that the interval is resampled from", min=1)
    jobs = count("jobs released after the warm-up", min=0)
    utilisation = number("useful node-seconds over machine node-seconds", "1", nullable=True)
    utilisation_lo = number("lower end of its interval", "1", nullable=True)
    utilisation_hi = number("upper end", "1", nullable=True)
    loss = number("1 - useful node-seconds / those with unlimited memory", "1", nullable=True)
    loss_lo = number("lower end of its interval", "1", nullable=True)
    loss_hi = number("upper end", "1", nullable=True)
    response_s = number("mean time from release to end", "s", nullable=True)
    response_s_lo = number("lower end of its interval", "s", nullable=True)
    response_s_hi = number("upper end", "s", nullable=True)
    response_ratio = number("mean response time over that with unlimited memory", "1", nullable=True)
    response_ratio_lo = number("lower end of its interval", "1", nullable=True)
    response_ratio_hi = number("upper end", "1", nullable=True)
    wait_s = number("mean time from release to start", "s", nullable=True)
    wait_s_lo = number("lower end of its interval", "s", nullable=True)
    wait_s_hi = number("upper end", "s", nullable=True)
    wait_ratio = number(
        "mean waiting time over that with unlimited memory; null where nobody waits there", "1", nullable=True
    )
    wait_ratio_lo = number("lower end of its interval", "1", nullable=True)
    wait_ratio_hi = number("upper end", "1", nullable=True)
    slowdown = number(
        "mean bounded slowdown: response over run time, which counts as 10 s at least", "1", nullable=True
    )
    slowdown_lo = number("lower end of its interval", "1", nullable=True)
    slowdown_hi = number("upper end", "1", nullable=True)


class HpcMemoryPaired(dy.Schema):
    """Each scheduler beside each other one on the same workload and memory, measured after the warm-up on the blocks
    that all of them were run on; 95 % intervals by paired block bootstrap (null from fewer than five blocks).
    """

    workload = text("workload without its batch")
    memory_per_node_gb = number("fast memory of the machine divided by its nodes", "GB")
    scheduler = text("scheduler")
    other = text("the scheduler it is compared with")
    blocks = count("spans of time, or batches, that the interval is resampled from", min=1)
    utilisation = number("its utilisation on these blocks", "1", nullable=True)
    response_s = number("its mean response time on these blocks", "s", nullable=True)
    utilisation_difference = number("its utilisation less the other's", "1", nullable=True)
    utilisation_difference_lo = number("lower end of its interval", "1", nullable=True)
    utilisation_difference_hi = number("upper end", "1", nullable=True)
    response_difference = number("its mean response time over the other's, less one", "1", nullable=True)
    response_difference_lo = number("lower end of its interval", "1", nullable=True)
    response_difference_hi = number("upper end", "1", nullable=True)
    relation = text(
        "tie (both differences are within 0.01 and 5 %, by 90 % intervals), better (beyond that in one and not worse "
        "in the other), worse, trade_off (better in one, worse in the other) or open; by the estimates alone "
        "where there is no interval"
    )


class HpcMemoryTimeline(dy.Schema):
    """State of each running job whenever it changes, for the scenarios that keep a timeline."""

    scenario_id = text("scenario")
    job_id = text("job")
    phase = count("phase it is in, from 0", min=0)
    time_s = number("instant from which this holds", "s")
    need_gb = number("memory the job needs in this phase, all its nodes", "GB")
    target_gb = number("memory allotted to it", "GB")
    usable_gb = number("memory it can use by now", "GB")
    speed = number("speed as a share of full speed; 0 = the job has ended", "1")


RESULTS = {
    "workload": Workload,
    "job_hpc_memory": HpcMemoryJob,
    "outcome_hpc_memory": HpcMemoryOutcome,
    "timeline_hpc_memory": HpcMemoryTimeline,
    "span_hpc_memory": HpcMemorySpan,
    "steady_hpc_memory": HpcMemorySteady,
    "paired_hpc_memory": HpcMemoryPaired,
}
FILES = {
    "outcome_hpc_memory": ("replay", "outcomes"),
    "timeline_hpc_memory": ("replay", "timeline"),
    "span_hpc_memory": ("replay", "spans"),
    "job_hpc_memory": ("scenarios", "jobs"),
    "workload": ("scenarios", "workloads"),
}
"""For each of its tables in the database the stage whose folders hold the rows, and the files' stem."""
KEYS = {
    "workload": ("workload_id",),
    "job_hpc_memory": ("workload_id", "job_id"),
    "outcome_hpc_memory": ("scenario_id", "job_id"),
    "timeline_hpc_memory": ("scenario_id", "job_id", "time_s"),
    "span_hpc_memory": ("scenario_id", "span"),
    "steady_hpc_memory": ("workload", "scheduler", "memory_per_node_gb"),
    "paired_hpc_memory": ("workload", "memory_per_node_gb", "scheduler", "other"),
}
"""Columns that identify a row of each table."""
