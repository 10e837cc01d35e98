"""Configuration of gpu_corun."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from pipeline import gpus
from pipeline.config.sections import Count, Positive, Section, scheduler_of
from pipeline.runtime.wording import did_you_mean

SchedulerName = scheduler_of("gpu_corun")


class CorunSweep(Section):
    """Scenarios of gpu_corun: every combination of the lists below, on workloads of one kind."""

    workload: Literal["pairs", "measured", "drawn", "queue"] = Field(
        description="pairs (every pair of the kernels, and each alone), measured (the pairs that a trace has measured "
        "side by side), drawn (queues drawn among the kernels) or queue (a trace's own queue)",
    )
    kernels: Literal["published", "dropped"] = Field(
        "published", description="kernels of the pairs and drawn queues: Table II's, or those of each of `traces`"
    )
    machines: int = Field(
        0,
        ge=0,
        description="machines drawn among those that agree with what the paper publishes; 0 = the documented defaults",
    )
    draws: Count = Field(20, description="draws of kernel parameters on each of the machines")
    applications: list[Count] = Field([8], min_length=1, description="applications a drawn queue")
    batches: Count = Field(10, description="independent drawn queues of each size")
    arrival: Literal["queued", "poisson"] = Field("queued", description="all at once, or by a Poisson process")
    load: list[Positive] = Field(
        [0.9], min_length=1, description="offered load of Poisson arrivals: mean loop over mean gap"
    )
    sms: list[Count] | None = Field(
        None,
        min_length=1,
        description="streaming multiprocessors of the GPU; null = those of the trace's GPU, 30 (the paper's) where "
        "they are not known and for published kernels",
    )
    gpu: str | None = Field(
        None,
        description="card of the kernels of a trace, by its name in pipeline/gpus/gpus.csv; null = the trace's, by "
        "its trace.yaml or profiles, else assumed",
    )
    peak_gflops: Positive | None = Field(
        None, description="peak single-precision rate of that card, GFLOP/s; null = the card's"
    )
    bandwidth_gbps: Positive | None = Field(
        None, description="peak bandwidth of that card's memory, GB/s; null = the card's"
    )
    schedulers: list[SchedulerName] | None = Field(
        None,
        min_length=1,
        description="schedulers to compare; null = all that can run the workload (optimal: at most two applications)",
    )
    split: list[Literal["equal", "best", "saturate"]] = Field(
        ["equal"], min_length=1, description="how two kernels under Slate share the SMs"
    )
    symmetry: list[Literal["printed", "either", "both"]] = Field(
        ["printed"], min_length=1, description="how Slate reads its asymmetric Table I"
    )
    task_size: list[Annotated[int, Field(ge=1)]] = Field([10], min_length=1, description="blocks a task of Slate")
    cached: list[bool] = Field(
        [False],
        min_length=1,
        description="whether Slate keeps the code that it compiled: of the runs of a kernel the first alone pays for "
        "injection",
    )
    largest: Count | None = Field(
        None,
        description="applications of a trace that its pairs are made of: those that run longest; null = 8, or 16 where "
        "no time is known, and 60 of measured pairs",
    )
    traces: list[str] | None = Field(None, description="traces to take kernels or queues from; null = all that can be")

    def card(self) -> dict[str, Any]:
        """What the sweep says of the card: gpu, peak_gflops, bandwidth_gbps, None where it leaves it to the trace."""
        return {"gpu": self.gpu, "peak_gflops": self.peak_gflops, "bandwidth_gbps": self.bandwidth_gbps}

    def of_traces(self) -> bool:
        """Whether its kernels are those of traces."""
        return self.kernels == "dropped" or self.workload in ("measured", "queue")

    @field_validator("gpu")
    @classmethod
    def _known_gpu(cls, name: str | None) -> str | None:
        if name is not None and gpus.find(name) is None:
            raise ValueError(f"unknown GPU {name!r}{did_you_mean(name, gpus.known())}")
        return name

    @model_validator(mode="after")
    def _goes_together(self) -> CorunSweep:
        if self.workload != "drawn" and self.arrival != "queued":
            raise ValueError(f"arrival: {self.arrival} is of drawn queues; {self.workload} workloads have queued")
        if self.machines and self.of_traces():
            raise ValueError("machines: the ensemble is of the published kernels; kernels of a trace have the defaults")
        if not self.of_traces() and any(self.card().values()):
            raise ValueError("gpu, peak_gflops, bandwidth_gbps: the published kernels ran on the paper's card")
        return self


def _corun_sweeps() -> dict[str, CorunSweep]:
    splits = ["equal", "best", "saturate"]
    return {
        "pairs": CorunSweep(workload="pairs", split=splits, task_size=[1, 2, 5, 10, 20]),
        "ensemble": CorunSweep(workload="pairs", machines=100, schedulers=["cuda", "mps", "slate"], split=splits),
        "queues": CorunSweep(workload="drawn", applications=[4, 8, 16], batches=20, split=splits),
        "cached": CorunSweep(workload="drawn", applications=[4, 8, 16], batches=20, cached=[True]),
        "arrivals": CorunSweep(workload="drawn", applications=[16], arrival="poisson", batches=20),
        "dropped": CorunSweep(workload="pairs", kernels="dropped"),
        "measured": CorunSweep(workload="measured"),
        "queue": CorunSweep(workload="queue"),
    }


class GpuCorun(Section):
    """Which kernels share a GPU, and how."""

    sweeps: dict[str, CorunSweep | None] = Field(
        default_factory=_corun_sweeps,
        description="named sets of scenarios; a scenario in two of them runs once, null = left out",
    )
