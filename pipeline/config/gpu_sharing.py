"""Configuration of gpu_sharing."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from pipeline.config.gpu_chapters import QosSweep, VariationSweep, qos_sweeps, variation_sweeps
from pipeline.config.sections import NotNegative, Section, scheduler_of

SchedulerName = scheduler_of("gpu_sharing", FAMILY=("splits", "dynamic"))


class CurveSweep(Section):
    """What sweeps on SM curves have in common: where the curves come from, and the machine."""

    curves: Literal["dropped", "ensemble"] = Field(
        "dropped", description="curves of each of `traces`, or drawn from the prior of docs/models/gpu_sharing.md"
    )
    traces: list[str] | None = Field(None, description="traces to take curves from; null = all that reach so many SMs")
    members: int = Field(100, ge=1, description="members of the ensemble")
    sms: list[Annotated[int, Field(ge=1)]] | None = Field(
        None,
        min_length=1,
        description="SMs of the GPU, applications whose curves end before are left out; null = the most that a curve "
        "of the trace reaches, 16 (the thesis's) for the ensemble",
    )
    interpolation: list[Literal["linear", "pchip"]] = Field(
        ["linear"], min_length=1, description="between the points of a curve"
    )
    schedulers: list[SchedulerName] | None = Field(
        None, min_length=1, description="schedulers to compare; null = all that can run the workload"
    )

    @model_validator(mode="after")
    def _an_ensemble_is_of_no_trace(self) -> CurveSweep:
        if self.curves == "ensemble" and self.traces is not None:
            raise ValueError("traces: the curves of an ensemble are drawn, of no trace; leave the key out")
        return self


class MixSweep(CurveSweep):
    """Scenarios of fairness (Chapter 6): every combination of the lists below, on each of the mixes."""

    mixes: Literal["stated", "all", "drawn"] = Field(
        "all",
        description="mixes that the trace states, every combination of its applications, or `count` drawn ones of each "
        "size",
    )
    applications: list[Annotated[int, Field(ge=2, le=8)]] = Field(
        [2], min_length=1, description="applications a mix; stated mixes have their own number"
    )
    count: int = Field(20, ge=1, description="mixes to draw of each size, where they are drawn")
    gamma: list[NotNegative] = Field([0.0], min_length=1, description="contention for each SM of the others")
    decide_by: list[Literal["measured", "profile"]] = Field(
        ["measured"],
        min_length=1,
        description="what a policy looks at: throughput beside the others or curves alone; the same where gamma is 0",
    )
    initial: list[Literal["equal", "profile"]] = Field(
        ["equal"], min_length=1, description="start of a dynamic allocation: equal SMs, or by the curves alone"
    )

    @model_validator(mode="after")
    def _only_traces_state_mixes(self) -> MixSweep:
        if self.mixes == "stated" and self.curves == "ensemble":
            raise ValueError("mixes: an ensemble states none; take all or drawn")
        return self


def _fairness() -> dict[str, MixSweep]:
    return {
        "stated": MixSweep(mixes="stated", interpolation=["linear", "pchip"]),
        "pairs": MixSweep(interpolation=["linear", "pchip"]),
        "larger": MixSweep(mixes="drawn", applications=[3, 4]),
        "ensemble": MixSweep(curves="ensemble"),
        "contention": MixSweep(curves="ensemble", members=20, gamma=[0.002, 0.02], decide_by=["measured", "profile"]),
    }


class GpuSharing(Section):
    """Sharing the streaming multiprocessors of a GPU."""

    fairness: dict[str, MixSweep | None] = Field(
        default_factory=_fairness,
        description="named sets of scenarios of Chapter 6; a scenario in two of them runs once, null = left out",
    )
    qos: dict[str, QosSweep | None] = Field(
        default_factory=qos_sweeps,
        description="named sets of scenarios of quality of service (Chapter 5); null = left out",
    )
    variation: dict[str, VariationSweep | None] = Field(
        default_factory=variation_sweeps,
        description="named sets of scenarios of process variation (Chapter 4); null = left out",
    )
