"""Configuration of gpu_partition."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from pipeline.config.sections import Count, Positive, Section, scheduler_of

SchedulerName = scheduler_of("gpu_partition")

POINTS = [float(u) for u in range(2, 69, 2)]


class PartitionSweep(Section):
    """Scenarios of gpu_partition: every combination of the lists below, on task sets of one kind."""

    workload: Literal["generated", "dropped", "measured"] = Field(
        description="generated (UUniFast-Discard, as in the paper), dropped (the task sets of a trace) or measured "
        "(sets drawn of the applications of a trace with curves against SMs)"
    )
    tasks: list[Count] = Field([50], min_length=1, description="tasks of a generated or measured set")
    utilisation: list[Positive] = Field(
        POINTS, min_length=1, description="sum of work / period of a generated set, in SMs"
    )
    load: list[Positive] = Field(
        [0.2, 0.3, 0.4, 0.5, 0.6],
        min_length=1,
        description="sum of work / period of a measured set, as a share of the GPU's SMs",
    )
    sets: int = Field(100, ge=1, description="independent generated or measured sets a point")
    memory_share: float = Field(0.5, ge=0, le=1, description="probability of a generated task to be memory intensive")
    hyperperiod: int = Field(
        4000, ge=50, description="what the periods of generated sets divide, which are from 50 to 4000"
    )
    sms: list[Annotated[int, Field(ge=1)]] | None = Field(
        None,
        min_length=1,
        description="SMs of the GPU; null = 68, and for measured sets the most that a curve of the trace reaches",
    )
    schedulers: list[SchedulerName] | None = Field(
        None,
        min_length=1,
        description="schedulers to compare; null = all, optimal with sets of up to 12 tasks (of larger ones it gives a "
        "lower bound only)",
    )
    forbidden: list[Literal["inactive", "act"]] = Field(
        ["inactive"], min_length=1, description="act: pairs of tasks that do not fit together are found first"
    )
    order: list[Literal["decreasing", "increasing"]] = Field(
        ["decreasing"], min_length=1, description="order of the first operand of a merge, by utilisation"
    )
    execution_mode: list[Literal["scaled", "literal"]] | None = Field(
        None,
        min_length=1,
        description="whether more SMs shorten the serial part, too (docs/models); null = scaled, and for measured sets "
        "literal, as it was fitted",
    )
    edf: list[Literal["preemptive", "non_preemptive"]] = Field(
        ["preemptive"], min_length=1, description="whether a kernel gives way to another one"
    )
    priority: list[Literal["edf", "dm"]] = Field(
        ["edf"], min_length=1, description="scheduling in a partition: EDF or deadline-monotonic"
    )
    search: list[Literal["binary", "linear"]] = Field(["linear"], min_length=1, description="search of a union's size")
    stop: list[Literal["fit", "exhaust"]] = Field(["fit"], min_length=1, description="when merging ends")
    forbidden_scope: list[Literal["partitions", "tasks"]] = Field(
        ["tasks"], min_length=1, description="what a failed merge forbids"
    )
    sizes: list[Literal["any", "mig"]] = Field(
        ["any"], min_length=1, description="sizes of partitions: any, or the slices of Multi-Instance GPUs"
    )
    traces: list[str] | None = Field(
        None, description="traces to take task sets from; null = all that have some or curves"
    )


MERGED_ON = {"workload": "generated", "stop": ["exhaust"], "order": ["increasing"], "forbidden": ["inactive", "act"]}
MERGED_ON |= {"schedulers": ["bf", "sms"]}
"""What Section 7 must have done: merged on where partitions fit already, in the other order that is printed."""

TOGETHER = {"workload": "generated", "forbidden": ["inactive", "act"], "schedulers": ["one_gpu", "bf", "sms"]}
TOGETHER |= {"execution_mode": ["scaled", "literal"], "order": ["decreasing", "increasing"], "stop": ["fit", "exhaust"]}
"""Readings that interact, varied together."""


def _sweeps() -> dict[str, PartitionSweep]:
    high = [u for u in POINTS if u >= 36]
    heuristics = ["bf", "sms"]
    return {
        "paper": PartitionSweep(
            workload="generated", sets=20, forbidden=["inactive", "act"], schedulers=["one_gpu", *heuristics]
        ),
        "paper_200": PartitionSweep(
            workload="generated", tasks=[200], sets=5, utilisation=[20.0, 28.0, *high], forbidden=["inactive", "act"],
            schedulers=["one_gpu", *heuristics],
        ),
        # Every scheduler on the sets of the first sweep; those of a sweep that names schedulers are the paper's.
        "all": PartitionSweep(workload="generated", sets=20),
        "increasing": PartitionSweep(
            workload="generated", sets=10, forbidden=["inactive", "act"], order=["increasing"], schedulers=heuristics
        ),
        "partition_pairs": PartitionSweep(
            workload="generated", sets=10, forbidden_scope=["partitions"], schedulers=heuristics,
            forbidden=["inactive", "act"],
        ),
        "binary": PartitionSweep(
            workload="generated", sets=10, search=["binary"], forbidden=["inactive", "act"], schedulers=heuristics
        ),
        "non_preemptive": PartitionSweep(
            workload="generated", sets=10, edf=["non_preemptive"], forbidden=["inactive", "act"],
            schedulers=["one_gpu", *heuristics],
        ),
        "literal": PartitionSweep(
            workload="generated", sets=10, execution_mode=["literal"], forbidden=["inactive", "act"],
            schedulers=["one_gpu", *heuristics],
        ),
        # Any policy in a partition (Section 5.5), and the slices of MIG (Section 8).
        "deadline_monotonic": PartitionSweep(
            workload="generated", sets=5, utilisation=high, priority=["dm"], schedulers=["one_gpu", *heuristics],
        ),
        "mig": PartitionSweep(
            workload="generated", sets=5, utilisation=high, sizes=["mig"], schedulers=["one_gpu", *heuristics],
        ),
        # What is assumed of the list of periods.
        "hyperperiod": PartitionSweep(
            workload="generated", sets=5, hyperperiod=12000, forbidden=["inactive", "act"],
            schedulers=["one_gpu", *heuristics],
        ),
        "small": PartitionSweep(
            workload="generated", tasks=[8], sets=10, utilisation=[4.0, 6.0, 8.0, 10.0], sms=[12],
            stop=["fit", "exhaust"],
        ),
        "exhaustion": PartitionSweep(
            workload="generated", sets=5, stop=["exhaust"], forbidden=["inactive", "act"], schedulers=heuristics
        ),
        "merged_on": PartitionSweep(**MERGED_ON, sets=10),
        "merged_on_200": PartitionSweep(**MERGED_ON, tasks=[200], sets=5, utilisation=POINTS[:28:3]),
        "varied_together": PartitionSweep(**TOGETHER, sets=5),
        "bound": PartitionSweep(
            workload="generated", sets=5, utilisation=[float(u) for u in range(20, 69, 4)], schedulers=["optimal"]
        ),
        "dropped_bound": PartitionSweep(workload="dropped", schedulers=["optimal"]),
        "dropped": PartitionSweep(workload="dropped", stop=["fit", "exhaust"]),
        "measured": PartitionSweep(workload="measured", tasks=[10], sets=10, stop=["fit", "exhaust"]),
    }  # fmt: skip


class GpuPartition(Section):
    """Partitions of a GPU's SMs for real-time kernels."""

    sweeps: dict[str, PartitionSweep | None] = Field(
        default_factory=_sweeps,
        description="named sets of scenarios; a scenario in two of them runs once, null = left out",
    )
