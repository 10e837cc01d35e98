"""Configuration of hpc_memory."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from pipeline.config.sections import NotNegative, Part, Positive, Section, Share, scheduler_of
from pipeline.runtime import sources
from pipeline.runtime.wording import did_you_mean
from pipeline.studies.hpc_memory.bins import width_of

SchedulerName = scheduler_of("hpc_memory")


def _known_order(name: str) -> str:
    known = sources.orders("hpc_memory")
    if name not in known:
        raise ValueError(f"no order of the queue {name!r}{did_you_mean(name, known)}; known: {', '.join(known)}")
    return name


OrderName = Annotated[str, AfterValidator(_known_order)]


def _known_knowledge(word: str) -> str:
    width_of(word)
    return word


Knowledge = Annotated[str, AfterValidator(_known_knowledge)]


class Queue(Section):
    """How a site runs its queue, where backfilling is `reserve` (docs/models/hpc_memory.md)."""

    reserve_depth: int = Field(
        1, ge=-1, description="waiting jobs that hold a reservation: 0 none (first fit), 1 EASY, -1 all (conservative)"
    )
    reservations: Literal["recomputed", "kept"] = Field(
        "recomputed", description="recomputed at every pass, or kept until the job starts and only moved forward"
    )
    backfill_interval_s: NotNegative = Field(
        0.0, description="least time between two backfill passes; in between, heads of the queue start while they fit"
    )
    backfill_depth: int = Field(-1, ge=-1, description="waiting jobs that a backfill pass looks at; -1 = all")
    backfill_resolution_s: NotNegative = Field(0.0, description="expected ends are rounded up to a multiple of it")
    backfill_window_s: float = Field(-1.0, ge=-1, description="how far ahead a reservation may lie; -1 = any time")
    launch_lag_s: NotNegative = Field(0.0, description="from the decision to start a job to its start")
    release_lag_s: NotNegative = Field(0.0, description="from the end of a job to its nodes being free")
    kill_at_limit: bool = Field(False, description="a job ends at its limit")
    queue_order: OrderName = Field("submit", description="who is first in the queue: a file of orders/")
    age_weight: NotNegative = Field(0.0, description="of queue_order multifactor: priority of a whole age")
    age_max_s: Positive = Field(604_800.0, description="of queue_order multifactor: wait that is a whole age")
    size_weight: NotNegative = Field(
        0.0, description="of queue_order multifactor: priority of a job as large as the machine"
    )


class Spread(Section):
    """How far the laws of phased workloads spread, which the paper does not print; their means are the paper's."""

    sd_memory_gb: Positive = Field(60, description="standard deviation of the memory of a phase, in GB")
    memory_range_gb: tuple[NotNegative, Positive] = Field(
        (2, 242), description="least and most memory of a phase, in GB, the mean of 105 between them"
    )
    sigma_phases: Positive = Field(1.5, description="sigma of the lognormal law of the number of phases")
    sigma_length: Positive = Field(1.0, description="sigma of the lognormal law of the length of a phase")

    @model_validator(mode="after")
    def _is_a_law(self) -> Spread:
        low, high = self.memory_range_gb
        if not low < 105 < high:
            raise ValueError(f"memory_range_gb: the mean of 105 GB is not between {low:g} and {high:g}")
        if not self.sd_memory_gb**2 < (105 - low) * (high - 105):
            raise ValueError(
                f"sd_memory_gb: no law on {low:g} to {high:g} GB of mean 105 spreads by {self.sd_memory_gb:g}"
            )
        return self


class Sweep(Section):
    """Scenarios of hpc_memory: every combination of the lists below, on workloads of one kind."""

    workload: Literal["phased", "dynamic", "replayed", "composed"] = Field(
        description="phased or dynamic (synthetic, as in the paper), replayed (a trace's own jobs and memory) or "
        "composed (the jobs of a log without memory, with memory that is assumed)",
    )
    batches: int = Field(
        30,
        ge=1,
        description="independent workloads; of a trace, windows of `jobs` jobs spread over it, as far as it has them "
        "(jobs: null replays all of it, whatever stands here)",
    )
    jobs: int | None = Field(
        1000,
        ge=1,
        description="jobs per batch; null = all of a trace, in consecutive parts where it has more than 100,000",
    )
    load: list[Positive] = Field([0.9], min_length=1, description="offered load of synthetic workloads")
    release: Literal["load", "printed"] = Field(
        "load", description="gaps between releases from the load, or as the paper prints them (a load of 1.3 to 1.9)"
    )
    job_nodes: Literal["uniform", "marconi100"] = Field(
        "uniform", description="nodes a synthetic job: uniform on 1..23, or skewed on 1..48 with mean 7"
    )
    laws: Literal["documented", "fitted", "empirical"] = Field(
        "documented",
        description="laws of phased workloads: documented (of the paper's means), or of each of `traces`, whose nodes, "
        "phases and memory they draw from: the fitted law nearest to it, or its empirical distribution",
    )
    memory_law: Literal["beta", "normal"] = Field(
        "beta",
        description="memory a phase of phased workloads, on 2..242 GB with mean 105: scaled beta (sd 60) or "
        "truncated normal (sd 60 before truncation)",
    )
    spread: Spread = Field(default_factory=Spread, description="how far the documented laws of phased workloads spread")
    hypercube: int = Field(
        0,
        ge=0,
        le=1000,
        description="points of a Latin hypercube over load and spread, in the ranges of what is assumed, that take the "
        "place of both; 0 = none",
    )
    nodes: int = Field(54, ge=1, description="nodes of the machine of synthetic workloads; a trace brings its own")
    memory_per_node_gb: list[NotNegative] = Field(
        [105, 115, 125, 135, 150, 175, 200, 256],
        min_length=1,
        description="fast memory of the machine divided by its nodes, for synthetic workloads",
    )
    memory_over_mean: list[NotNegative] = Field(
        [0.5, 0.6, 0.7, 0.85, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.7, 2.0, 2.5],
        min_length=1,
        description="the same for traces, as a multiple of the mean memory per node in use (by node-seconds)",
    )
    schedulers: list[SchedulerName] | None = Field(
        None,
        min_length=1,
        description="schedulers to compare, null = all that are found; losses are measured against unlimited",
    )
    alpha: list[Share] = Field([0.03], min_length=1, description="speed of a job without fast memory")
    tau_s: list[NotNegative] = Field(
        [1.0], min_length=1, description="duration of a reconfiguration; also the phase length of dynamic workloads"
    )
    reconfiguration: list[Literal["serial", "incremental", "restart"]] = Field(
        ["serial"], min_length=1, description="one operation at a time, or each job on its own (docs/models)"
    )
    backfilling: list[Literal["easy", "easy_per_event", "fcfs", "memory_aware_easy", "reserve"]] = Field(
        ["easy"],
        min_length=1,
        description="EASY by instant, EASY by event, none, EASY that knows what memory does to a job, or as `queue` "
        "says (docs/models)",
    )
    queue: Queue = Field(default_factory=Queue, description="how a site runs its queue; read by backfilling reserve")
    free_start: list[bool] = Field(
        [False], min_length=1, description="memory decided at a job's start is usable at once"
    )
    largest_by: list[Literal["memory", "nodes"]] = Field(["memory"], min_length=1, description="size for largest_first")
    knowledge: list[Knowledge] | None = Field(
        None,
        min_length=1,
        description="what a scheduler knows of a job's memory: own (its run itself), given (by the drop), history "
        "(earlier runs of the log), trace (one law of the log), bins (the paper's) or bins:<width in GB>; null = "
        "history of a log that has users and ends of jobs, else own",
    )
    traces: list[str] | None = Field(
        None, description="traces to replay, or to take jobs or laws from; null = all that can be"
    )
    shapes: list[str] | None = Field(
        None,
        min_length=1,
        description="traces whose memory series composed jobs are lent; null = none: documented laws are assumed",
    )

    @model_validator(mode="after")
    def _synthetic_needs_jobs(self) -> Sweep:
        if self.jobs is None and self.workload in ("phased", "dynamic"):
            raise ValueError(f"{self.workload} workloads are drawn: jobs must be a number")
        return self

    @model_validator(mode="after")
    def _laws_are_of_phased_jobs(self) -> Sweep:
        if self.laws != "documented" and self.workload != "phased":
            raise ValueError(f"laws: {self.laws} draws phased workloads; {self.workload} ones have laws: documented")
        if self.hypercube and (self.workload != "phased" or self.laws != "documented"):
            raise ValueError("hypercube: only phased workloads of documented laws have a spread; 0 would be right")
        return self


SPREADS = {
    "sd_memory_gb": (45, 75),
    "memory_range_gb": ((10, 220), (1, 256)),
    "sigma_phases": (1.0, 2.0),
    "sigma_length": (0.5, 1.5),
}
"""Other values of what is assumed of the laws, that claims are judged with, too."""


PHASED = {
    "workload": "phased",
    "batches": 8,
    "memory_per_node_gb": [105, 125, 150],
    "schedulers": ["unlimited", "aggregated", "priority", "oldest_first", "largest_first"],
}
DYNAMIC = {
    "workload": "dynamic",
    "batches": 6,
    "memory_per_node_gb": [105, 150],
    "schedulers": ["unlimited", "aggregated", "priority", "stochastic"],
}
ALPHA = PHASED | {"schedulers": ["unlimited", "priority", "oldest_first"]}
DYNAMIC_ALPHA = DYNAMIC | {"schedulers": ["unlimited", "priority", "stochastic"]}
RATIO = PHASED | {"schedulers": ["unlimited", "aggregated", "priority"]}
"""Sweeps of the paper's figures, with fewer batches and sizes; those below differ in what they name."""


def _paper_sweeps() -> dict[str, Sweep]:
    """The evaluation of HiPC 2024 in its own setting, then other readings of it that its claims are compared with too.

    Fewer batches and sizes than the paper's but for Figures 4, 5, 8 and 9; config/paper.yaml has them all.
    """
    return {
        "phased": Sweep(workload="phased", memory_per_node_gb=[105, 115, 125, 135, 150, 175, 200, 225, 256]),
        "dynamic": Sweep(workload="dynamic", schedulers=["unlimited", "aggregated", "priority", "stochastic"]),
        # Weighing every level of 100 phases a job takes its time.
        "dynamic_cost_aware": Sweep(
            workload="dynamic",
            batches=10,
            memory_per_node_gb=[105, 125, 150, 200],
            schedulers=["unlimited", "cost_aware"],
        ),
        "alpha": Sweep(**ALPHA | {"alpha": [0.01, 0.1, 0.3, 0.5], "memory_per_node_gb": [105, 125, 150, 200, 256]}),
        "reconfiguration_time": Sweep(
            **RATIO
            | {
                "tau_s": [10, 40, 100, 400, 1000],
                "memory_per_node_gb": [105, 125, 150, 200, 225, 256],
                "schedulers": ["unlimited", "priority"],
            }
        ),
        "dynamic_alpha": Sweep(
            **DYNAMIC_ALPHA | {"alpha": [0.01, 0.1, 0.3, 0.5], "memory_per_node_gb": [105, 125, 150, 200]}
        ),
        "known": Sweep(
            workload="dynamic",
            batches=6,
            memory_per_node_gb=[105, 125, 150],
            schedulers=["unlimited", "aggregated", "stochastic"],
            knowledge=["own", "trace", "bins", "bins:50"],
        ),
        "memory_aware": Sweep(**PHASED, backfilling=["memory_aware_easy"]),
        "dynamic_memory_aware": Sweep(
            **DYNAMIC | {"memory_per_node_gb": [105, 125, 150]}, backfilling=["memory_aware_easy"]
        ),
        **_other_readings(),
        "replayed": Sweep(workload="replayed", jobs=None),
        "composed": Sweep(workload="composed", jobs=None),
        "known_of_logs": Sweep(
            workload="replayed",
            jobs=None,
            memory_over_mean=[1.0, 1.2, 1.4, 1.7],
            schedulers=["unlimited", "stochastic"],
            knowledge=["own"],
        ),
    }


def _other_readings() -> dict[str, Sweep]:
    """Sweeps under other readings of what the paper leaves open, and what is assumed at both ends of its range."""
    return {
        "phased_settings": Sweep(**PHASED | {"load": [0.8, 0.84, 1.0]}),
        "phased_normal": Sweep(**PHASED, memory_law="normal"),
        "printed_release": Sweep(**PHASED, release="printed"),
        **{
            f"{name}_{end}": Sweep(**PHASED | {"batches": 5, "spread": Spread(**{name: value})})
            for name, values in SPREADS.items()
            for end, value in zip(("low", "high"), values, strict=True)
        },
        "varied_together": Sweep(**PHASED | {"batches": 5, "hypercube": 12}),
        "marconi100_nodes": Sweep(**PHASED, job_nodes="marconi100"),
        "other_reconfigurations": Sweep(**PHASED, reconfiguration=["incremental", "restart"]),
        "free_start": Sweep(**PHASED, free_start=[True]),
        "largest_by_nodes": Sweep(**PHASED, largest_by=["nodes"]),
        "alpha_settings": Sweep(
            **ALPHA
            | {
                "batches": 6,
                "load": [0.8, 1.0],
                "alpha": [0.01, 0.03, 0.1, 0.3, 0.5],
                "memory_per_node_gb": [105, 150],
            }
        ),
        "reconfiguration_time_settings": Sweep(
            **RATIO
            | {"batches": 6, "load": [0.8, 1.0], "tau_s": [1, 10, 40, 1000], "memory_per_node_gb": [105, 150, 225, 256]}
        ),
        "dynamic_settings": Sweep(**DYNAMIC | {"load": [0.8, 0.84, 1.0]}),
        "dynamic_marconi100_nodes": Sweep(**DYNAMIC, job_nodes="marconi100"),
        "dynamic_reconfigurations": Sweep(**DYNAMIC, reconfiguration=["incremental", "restart"]),
        "dynamic_free_start": Sweep(**DYNAMIC, free_start=[True]),
        "dynamic_alpha_settings": Sweep(**DYNAMIC_ALPHA | {"load": [0.8, 1.0], "alpha": [0.01, 0.1, 0.5]}),
    }


class HpcMemory(Section):
    """Disaggregated memory on an HPC machine."""

    sweeps: dict[str, Sweep | None] = Field(
        default_factory=_paper_sweeps,
        description="named sets of scenarios; a scenario in two of them runs once, null = left out",
    )
    composed_mean_gb: Positive = Field(
        105.0,
        description="composed workloads are scaled so that their mean memory per node in use is this, by node time; "
        "a 32nd of it per core where the log counts cores; a drop may state its own (mean_memory_gb)",
    )
    timeline: int = Field(
        60,
        ge=0,
        description="jobs of the small workload whose replays are kept instant by instant; 0 = none",
    )
    loss_bounds: list[Part] = Field(
        [0.005, 0.01, 0.02, 0.05],
        min_length=1,
        description="losses of utilisation against unlimited memory for which the smallest memory is sought",
    )
    response_bound: NotNegative = Field(
        0.1, description="growth of the mean response time against unlimited memory that the smallest memory keeps, too"
    )
