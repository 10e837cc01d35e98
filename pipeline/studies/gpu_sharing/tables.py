"""Workloads and results of gpu_sharing."""

from __future__ import annotations

import dataframely as dy

from pipeline.tables.columns import count, number, text
from pipeline.tables.keys import Reference


class GpuSharingWorkload(dy.Schema):
    """Workloads of gpu_sharing: where their mixes and curves come from."""

    workload_id = text("workload; its mix has the same id")
    family = text("workload without its mix: workloads of one family are the mixes of one set of curves")
    kind = text("what is asked: mixes (all or drawn), stated (mixes that a trace states), …")
    mix = text("applications of the mix, joined by +")
    applications = count("applications of the mix", min=1)
    curve_set = text("set of curves that the applications have")
    trace = text("trace that the curves come from; null for others", nullable=True)
    member = count("member of the ensemble of admissible curves; null for others", nullable=True, min=0)
    origin = text("measured or generated (as the trace is), or synthetic (an ensemble's)")


class GpuSharingMix(dy.Schema):
    """Applications that run at once in the mixes of gpu_sharing."""

    mix_id = text("mix")
    slot = count("place of the application in the mix, from 0", min=0)
    app = text("application")
    curve_set = text("set of curves in which its curve is")


class GpuSharingCurve(dy.Schema):
    """Curves that the mixes of gpu_sharing are replayed with."""

    curve_set = text("set of curves")
    app = text("application")
    sms = count("streaming multiprocessors", min=1)
    ipc = number("instructions a cycle of all its SMs, or another rate", "1", min=0)
    mig_slices = count("sevenths of the GPU, where the point is a MIG slice; null = it is none", nullable=True, min=1)


class GpuSharingOutcome(dy.Schema):
    """SMs, throughput and speed-up of each application in each scenario of gpu_sharing."""

    scenario_id = text("scenario")
    slot = count("place of the application in the mix", min=0)
    app = text("application")
    sms = count("SMs that it has; of cooperative multitasking all, in turn", min=0)
    throughput = number("instructions a cycle, or the curve's other rate", "1")
    speedup = number("throughput over that of cooperative multitasking", "1")


class GpuSharingRound(dy.Schema):
    """Rounds of the allocators of gpu_sharing that resize while the applications run."""

    scenario_id = text("scenario")
    round = count("round; 0 is the start", min=0)
    slot = count("place of the application in the mix", min=0)
    sms = count("SMs that it has in the round", min=0)
    throughput = number("throughput that it is measured at", "1", nullable=True)
    from_cycle = number("cycle from which all its SMs of the round are its own", "cycles", min=0)


class GpuSharingSurrogate(dy.Schema):
    """Applications of the surrogate curves of Chapters 4 and 5 of the thesis: what was drawn."""

    curve_set = text("set of curves")
    app = text("application")
    sensitivity = number("rise of its time for each SM of a co-runner of pressure 1", "1", min=0)
    pressure = number("pressure on others for each of its SMs", "1", min=0)
    ipc_all = number("instructions a cycle on all 30 SMs", "1", min=0)
    saturation_sms = number("SMs at which its curve bends, with 8 memory controllers", "1", min=0)
    sharpness = number("sharpness of the bend: 1 a hyperbola, 32 nearly a roofline", "1", min=0)
    clock_speedup_2 = number("speed-up at 1.4 times the clock on 15 SMs with 4 memory controllers", "1", min=0)
    clock_speedup_3 = number("speed-up at 1.4 times the clock on 10 SMs with 3 memory controllers", "1", min=0)
    clock_speedup_2_left = number("speed-up at 1.4 times the clock on 15 SMs with all 8 memory controllers", "1", min=0)
    clock_speedup_3_left = number("speed-up at 1.4 times the clock on 10 SMs with all 8 memory controllers", "1", min=0)
    compute_bound = number("1 where the speed-up is 1.30 or more in all four machines, else 0", "1")


class GpuSharingClockSpeedup(dy.Schema):
    """Speed-ups of the surrogates with the clock in the machines of Figure 4 of the thesis."""

    curve_set = text("set of curves")
    app = text("application")
    sms = count("SMs of the machine", min=1)
    memory_controllers = count("memory controllers of the machine", min=1)
    clock = number("clock of the SMs, over 1.3 GHz", "1", min=1)
    speedup = number("speed-up at that clock", "1", min=0)


class GpuSharingSmMap(dy.Schema):
    """Maps of SM frequencies that the surrogates are replayed with, on 30 SMs, and of dies of other sizes."""

    map_seed = count("map", min=0)
    sms = count("SMs of the die", min=1)
    sm = count("streaming multiprocessor, from 0", min=0)
    frequency = number("over that of the slowest SM", "1", min=1)
    threshold_v = number("mean threshold voltage of the SM", "V", min=0)


RESULTS = {
    "workload_gpu_sharing": GpuSharingWorkload,
    "mix_gpu_sharing": GpuSharingMix,
    "curve_gpu_sharing": GpuSharingCurve,
    "outcome_gpu_sharing": GpuSharingOutcome,
    "round_gpu_sharing": GpuSharingRound,
    "surrogate_gpu_sharing": GpuSharingSurrogate,
    "clock_speedup_gpu_sharing": GpuSharingClockSpeedup,
    "sm_map_gpu_sharing": GpuSharingSmMap,
}
FILES = {
    "outcome_gpu_sharing": ("replay", "outcomes"),
    "round_gpu_sharing": ("replay", "rounds"),
    "mix_gpu_sharing": ("scenarios", "mixes"),
    "curve_gpu_sharing": ("scenarios", "sm_curves"),
    "workload_gpu_sharing": ("scenarios", "workloads"),
    "surrogate_gpu_sharing": ("scenarios", "apps"),
    "clock_speedup_gpu_sharing": ("scenarios", "clock_speedups"),
    "sm_map_gpu_sharing": ("scenarios", "sm_maps"),
}
"""For each of its tables in the database the stage whose folders hold the rows, and the files' stem."""
KEYS = {
    "workload_gpu_sharing": ("workload_id",),
    "mix_gpu_sharing": ("mix_id", "slot"),
    "curve_gpu_sharing": ("curve_set", "app", "sms"),
    "outcome_gpu_sharing": ("scenario_id", "slot"),
    "round_gpu_sharing": ("scenario_id", "round", "slot"),
    "surrogate_gpu_sharing": ("curve_set", "app"),
    "clock_speedup_gpu_sharing": ("curve_set", "app", "sms", "memory_controllers", "clock"),
    "sm_map_gpu_sharing": ("map_seed", "sms", "sm"),
}
"""Columns that identify a row of each table."""
REFERENCES = (
    Reference("scenario", "mix_gpu_sharing", ("mix_id",), study="gpu_sharing"),
    Reference("mix_gpu_sharing", "curve_gpu_sharing", ("curve_set", "app")),
    Reference("workload_gpu_sharing", "curve_gpu_sharing", ("curve_set",)),
)
