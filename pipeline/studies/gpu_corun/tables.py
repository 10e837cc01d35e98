"""Workloads and results of gpu_corun."""

from __future__ import annotations

import dataframely as dy

from pipeline.tables.columns import count, number, text
from pipeline.tables.keys import Reference


class GpuCorunWorkload(dy.Schema):
    """Workloads of gpu_corun: where their applications come from."""

    workload_id = text("workload")
    family = text("workload without its batch: workloads of one family differ in the batch only")
    kind = text(
        "pair, alone, measured (a pair that a trace measured), drawn (a queue of the kernels) or queue (of a trace)"
    )
    pair = text("names of the two, as BS-RG; of one alone its name; null for queues", nullable=True)
    trace = text("trace that the kernels come from; null = published (Table II)", nullable=True)
    batch = count("batch: independent repetition", min=0)
    arrival = text("queued (all at once), poisson or traced")
    load = number("offered load of Poisson arrivals: mean loop over mean gap", "1", nullable=True)
    applications = count("applications", min=1)
    origin = text("published (kernels of Table II), measured, generated or given (as the trace is)")


class GpuCorunApplication(dy.Schema):
    """Queues of the workloads of gpu_corun."""

    workload_id = text("workload")
    position = count("place in the queue, from 0; of two that are ready at once the first is active first", min=0)
    kernel = text("kernel that the application launches in a loop")
    arrival_s = number("arrival", "s")


class GpuCorunKernel(dy.Schema):
    """Kernels that the workloads of gpu_corun are replayed with, one row per model; null = the default of the model."""

    model_id = text("model, as in scenario: default, a draw as m0003/k07, or the trace")
    kernel = text("kernel")
    gflops = number("floating-point rate alone on the GPU", "GFLOP/s", min=0)
    memory_gbps = number("global load and store rate alone on the GPU", "GB/s", min=0)
    loop_s = number("time of its loop of launches alone under CUDA", "s", nullable=True, min_exclusive=0)
    loop_origin = text(
        "where loop_s comes from: published, measured (a profile of a whole run), stated (repetitions of what was "
        "profiled) or assumed (the paper's 30 s)"
    )
    setup_s = number("host work before the loop; null = 3, assumed", "s", nullable=True, min=0)
    dram_gbps = number("DRAM bandwidth that it asks for at full speed", "GB/s", nullable=True, min=0)
    saturation = number("share of the SMs from which it is no faster", "1", nullable=True, min_exclusive=0, max=1)
    slate_speed = number("speed under Slate at task size 10 over that under CUDA", "1", nullable=True, min_exclusive=0)
    pull_cost = number("time that pulling single blocks adds, as a share of the loop", "1", nullable=True, min=0)
    imbalance = number("time that a block more a task adds, as a share of the loop", "1", nullable=True, min=0)


class GpuCorunOutcome(dy.Schema):
    """Start, end and mode of each application in each scenario of gpu_corun."""

    scenario_id = text("scenario")
    position = count("place in the queue", min=0)
    kernel = text("kernel")
    start_s = number("first progress of its kernel", "s")
    kernel_end_s = number("end of its kernel", "s")
    end_s = number("end of the application: the scheduler's overhead follows the kernel", "s")
    mode = text("corun = ran beside another on SMs of its own for a while, else solo")


class GpuCorunTimeline(dy.Schema):
    """Who has which SMs and how fast it is, of the replays that are kept instant by instant."""

    scenario_id = text("scenario")
    position = count("place in the queue", min=0)
    kernel = text("kernel")
    start_s = number("from", "s")
    end_s = number("until", "s")
    sms = count("streaming multiprocessors it has", min=0)
    speed = number("progress over that alone under CUDA; 0 = it pauses", "1", min=0)


RESULTS = {
    "workload_gpu_corun": GpuCorunWorkload,
    "queue_gpu_corun": GpuCorunApplication,
    "kernel_gpu_corun": GpuCorunKernel,
    "outcome_gpu_corun": GpuCorunOutcome,
    "timeline_gpu_corun": GpuCorunTimeline,
}
FILES = {
    "outcome_gpu_corun": ("replay", "outcomes"),
    "timeline_gpu_corun": ("replay", "timeline"),
    "queue_gpu_corun": ("scenarios", "queue"),
    "kernel_gpu_corun": ("scenarios", "kernels"),
    "workload_gpu_corun": ("scenarios", "workloads"),
}
"""For each of its tables in the database the stage whose folders hold the rows, and the files' stem."""
KEYS = {
    "workload_gpu_corun": ("workload_id",),
    "queue_gpu_corun": ("workload_id", "position"),
    "kernel_gpu_corun": ("model_id", "kernel"),
    "outcome_gpu_corun": ("scenario_id", "position"),
    "timeline_gpu_corun": ("scenario_id", "position", "start_s"),
}
"""Columns that identify a row of each table."""
REFERENCES = (Reference("scenario", "kernel_gpu_corun", ("model_id",), study="gpu_corun"),)
