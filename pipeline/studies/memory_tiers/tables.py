"""Workloads and results of memory_tiers."""

from __future__ import annotations

import dataframely as dy

from pipeline.tables.columns import count, number, text


class TiersWorkload(dy.Schema):
    """Workloads of memory_tiers: windows of traces whose jobs have memory of their own."""

    workload_id = text("workload")
    family = text("workload without its batch")
    trace = text("trace the jobs come from")
    batch = count("batch: window of the trace", min=0)
    nodes = count("nodes of the traced machine", min=1)
    node_memory_gb = number("memory per node of the traced machine; null = not known", "GB", nullable=True)
    jobs = count("jobs", min=0)
    jobs_left_out = count("jobs of the trace that are in no workload: no run time known, or beyond the windows", min=0)
    spans = count("parts that its replays after the warm-up are cut into", min=1)
    offered_load = number(
        "node-seconds at full speed over nodes times the time between first and last release; null = no such time",
        "1",
        nullable=True,
    )
    mean_memory_gb = number("mean memory per node in use, by node-seconds", "GB", nullable=True)
    most_memory_gb = number("largest need of a phase, per node", "GB", nullable=True)
    mean_request_gb = number("mean memory that is requested per node, by node-seconds", "GB", nullable=True)
    most_request_gb = number("largest request, per node", "GB", nullable=True)
    memory_assumed = number("share of node time whose memory is assumed to be that of another job", "1", min=0, max=1)
    request_assumed = number("share of node time whose request is assumed: use times a drawn factor", "1", min=0, max=1)
    request_raised = number("share of node time whose request is below its use and is raised to it", "1", min=0, max=1)
    sensitivity_assumed = number("share of node time whose sensitivity is assumed: drawn by class", "1", min=0, max=1)
    origin = text("measured or generated, as the trace is")


class TiersJob(dy.Schema):
    """Jobs of the workloads of memory_tiers."""

    workload_id = text("workload")
    job_id = text("job, unique in its workload")
    submit_s = number("release", "s")
    nodes = count("nodes asked for", min=1)
    walltime_s = number("limit, used by backfilling; null = run time", "s", nullable=True)
    position = count("place in the order of jobs released together; null = by job_id", nullable=True, min=0)
    request_gb = number("memory that it requests per node; at least its largest phase", "GB", nullable=True)
    sensitivity = number("slowdown less one with all memory in the pool", "1", nullable=True, min=0)
    sensitivity_class = text(
        "class of sensitivity: drawn, or that of the nearest slowdown where the log has one", nullable=True
    )


class TiersOutcome(dy.Schema):
    """Start and end of each job in the scenarios of memory_tiers that keep them."""

    scenario_id = text("scenario")
    job_id = text("job")
    start_s = number("start; null = rejected", "s", nullable=True)
    end_s = number("end; null = rejected", "s", nullable=True)
    rejected = text(
        "why the job was not run: larger_than_machine, request_exceeds_node or pool_too_small; null = it was",
        nullable=True,
    )


class TiersSpan(dy.Schema):
    """Parts of equal length of a replay after its warm-up: what intervals are resampled from."""

    scenario_id = text("scenario")
    span = count("number of the part, from 0", min=0)
    jobs = count("jobs released in it that ran", min=0)
    rejected = count("jobs released in it that were rejected", min=0)
    node_s = number("nodes of the machine times the length of the part", "s")
    useful_node_s = number("useful node-seconds in it", "s")
    local_useful_node_s = number("the same with all memory local", "s")
    response_s = number("sum of the responses of the jobs released in it that ran", "s")
    local_response_s = number("the same jobs' with all memory local", "s")
    wait_s = number("sum of their waits", "s")


class TiersClass(dy.Schema):
    """Who pays: jobs released after the warm-up that ran, by sensitivity and size."""

    scenario_id = text("scenario")
    sensitivity_class = text("class of sensitivity")
    size = text("one_node, few (up to a tenth of the machine) or many nodes")
    jobs = count("jobs", min=0)
    rejected = count("jobs that were rejected", min=0)
    stretch = number("sum of time from start to end over run time with all memory local", "1")
    slowdown = number("sum of bounded slowdowns: response over run time, which counts as 10 s at least", "1")
    local_slowdown = number("the same jobs' with all memory local", "1")


class TiersSteady(dy.Schema):
    """Measures after the warm-up of each workload, scheduler and machine, at the study's default parameters, over all
    batches and spans; 95 % intervals by block bootstrap (null from fewer than five blocks).
    """

    workload = text("workload without its batch")
    scheduler = text("scheduler")
    local_per_node_gb = number("memory of each node", "GB")
    pool_per_node_gb = number("pool divided by the nodes", "GB")
    blocks = count("spans of time, or batches, that the interval is resampled from", min=1)
    jobs = count("jobs released after the warm-up that ran", min=0)
    rejected = count("jobs released after the warm-up that were rejected", min=0)
    utilisation = number("useful node-seconds over machine node-seconds", "1", nullable=True)
    loss = number("1 - useful node-seconds / those with all memory local", "1", nullable=True)
    loss_lo = number("lower end of its interval", "1", nullable=True)
    loss_hi = number("upper end", "1", nullable=True)
    response_s = number("mean response of the jobs that ran", "s", nullable=True)
    response_ratio = number("its ratio to that of the same jobs with all memory local", "1", nullable=True)
    response_ratio_lo = number("lower end of its interval", "1", nullable=True)
    response_ratio_hi = number("upper end", "1", nullable=True)
    wait_s = number("mean wait of the jobs that ran", "s", nullable=True)


RESULTS = {
    "workload_memory_tiers": TiersWorkload,
    "job_memory_tiers": TiersJob,
    "outcome_memory_tiers": TiersOutcome,
    "span_memory_tiers": TiersSpan,
    "class_memory_tiers": TiersClass,
    "steady_memory_tiers": TiersSteady,
}
FILES = {
    "workload_memory_tiers": ("scenarios", "workloads"),
    "job_memory_tiers": ("scenarios", "jobs"),
    "outcome_memory_tiers": ("replay", "outcomes"),
    "span_memory_tiers": ("replay", "spans"),
    "class_memory_tiers": ("replay", "classes"),
}
"""For each of its tables in the database the stage whose folders hold the rows, and the files' stem."""
KEYS = {
    "workload_memory_tiers": ("workload_id",),
    "job_memory_tiers": ("workload_id", "job_id"),
    "outcome_memory_tiers": ("scenario_id", "job_id"),
    "span_memory_tiers": ("scenario_id", "span"),
    "class_memory_tiers": ("scenario_id", "sensitivity_class", "size"),
    "steady_memory_tiers": ("workload", "scheduler", "local_per_node_gb", "pool_per_node_gb"),
}
"""Columns that identify a row of each table."""
