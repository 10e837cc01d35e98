"""Configuration of gpu_sharing."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from pipeline.config.sections import NotNegative, Positive, Section, scheduler_of

SchedulerName = scheduler_of("gpu_sharing", FAMILY=("splits", "dynamic"))
QosScheduler = scheduler_of("gpu_sharing", FAMILY=("qos", "qos_rounds"))
VariationScheduler = scheduler_of("gpu_sharing", FAMILY=("variation",))


class ChapterSweep(Section):
    """What sweeps of both chapters have in common: where the curves come from, and the machine."""

    curves: Literal["surrogate", "dropped"] = Field(
        "surrogate",
        description="drawn at random among those that agree with the thesis (docs/models/gpu_sharing-qos.md), or those "
        "of each of `traces`",
    )
    members: int = Field(10, ge=1, description="sets of surrogate curves")
    traces: list[str] | None = Field(None, description="traces to take curves from; null = all that have SM curves")
    sms: int | None = Field(
        None,
        ge=1,
        description="SMs of the GPU, applications whose curves end before are left out; null = the most that a curve "
        "of the trace reaches, 30 (the thesis's) for surrogates",
    )

    @model_validator(mode="after")
    def _surrogates_are_of_one_machine(self) -> ChapterSweep:
        if self.curves == "surrogate" and self.traces is not None:
            raise ValueError("traces: surrogate curves are drawn, of no trace; leave the key out")
        if self.curves == "surrogate" and self.sms not in (None, 30):
            raise ValueError(f"sms: surrogate curves are of a GPU of 30 SMs, not {self.sms}")
        return self


class QosSweep(ChapterSweep):
    """Scenarios of quality of service (Chapter 5): every combination of the lists below."""

    levels: list[Annotated[float, Field(gt=1, le=200)]] = Field(
        [100, 95, 90, 85, 80],
        min_length=1,
        description="targets, in per cent of half of the throughput on all SMs; 200 = all of it",
    )
    gamma: list[NotNegative] = Field([1.0], min_length=1, description="contention: 1 as drawn, 0 none")
    decide_by: list[Literal["measured", "profile"]] = Field(
        ["measured", "profile"],
        min_length=1,
        description="what profile_minimum looks at: throughput beside the others, or curves alone",
    )
    midpoint: list[bool] = Field(
        [True, False], min_length=1, description="whether dynamic_linear goes half of the way only"
    )
    start: list[Literal["half", "all"]] = Field(
        ["half", "all"], min_length=1, description="SMs that dynamic_linear starts with"
    )
    freeing: list[Literal["wait", "migrate", "terminate"]] = Field(
        ["wait"],
        min_length=1,
        description="how an SM is freed: when its thread blocks end, by moving their state, or by ending them",
    )
    schedulers: list[QosScheduler] | None = Field(None, min_length=1, description="schedulers to compare; null = all")


class VariationSweep(ChapterSweep):
    """Scenarios of process variation (Chapter 4): every combination of the lists below."""

    maps: int = Field(5, ge=1, description="maps of SM frequencies a set of curves")
    applications: list[Annotated[int, Field(ge=2, le=4)]] = Field(
        min_length=1,
        description="applications a mix: of surrogates 2 = Table 3's pairs, more = all with both classes; of a "
        "trace all",
    )
    assignment: list[Literal["cfms", "csmf"]] = Field(
        ["cfms", "csmf"], min_length=1, description="SMs of compute-bound applications: fast or slow ones"
    )
    threshold_v: list[Annotated[float, Field(ge=0, lt=1)]] = Field(
        [0.42], min_length=1, description="mean threshold voltage of the maps, in V"
    )
    voltage_exponent: list[Positive] = Field(
        [1.3], min_length=1, description="exponent of an SM's frequency against the supply less the threshold voltage"
    )
    cluster_sms: list[Annotated[int, Field(ge=1)]] = Field(
        [1], min_length=1, description="neighbouring SMs that share one clock, that of their slowest; 1 = none do"
    )
    controllers: list[Literal["shared", "left"]] = Field(
        ["shared"],
        min_length=1,
        description="memory controllers at which the speed-up with the clock is taken: an application's part of them, "
        "or all where no other application is memory-bound",
    )
    gamma: NotNegative = Field(1.0, description="contention: 1 as drawn, 0 none")
    schedulers: list[VariationScheduler] | None = Field(
        None, min_length=1, description="schedulers to compare; null = all"
    )


def qos_sweeps() -> dict[str, QosSweep]:
    """Default sweeps of quality of service."""
    return {
        "chapter_5": QosSweep(members=20),
        "no_contention": QosSweep(
            members=20, levels=[100], gamma=[0.0], schedulers=["profile_minimum"], decide_by=["measured"]
        ),
        "dropped": QosSweep(curves="dropped", gamma=[0.0], decide_by=["measured"], midpoint=[True], start=["half"]),
        # Section 5.4: three ways to free an SM.
        "freeing": QosSweep(
            members=10,
            levels=[80],
            midpoint=[True],
            start=["half"],
            schedulers=["dynamic_linear"],
            freeing=["wait", "migrate", "terminate"],
        ),
        "whole_gpu": QosSweep(
            curves="dropped",
            levels=[180, 160, 120],
            gamma=[0.0],
            decide_by=["measured"],
            schedulers=["profile_minimum"],
        ),
    }


def variation_sweeps() -> dict[str, VariationSweep]:
    """Default sweeps of process variation."""
    return {
        "pairs": VariationSweep(applications=[2]),
        "three": VariationSweep(applications=[3], assignment=["cfms"]),
        # Readings of docs/models/gpu_sharing-variation.md, for the robustness of the claims.
        "pairs_controllers": VariationSweep(applications=[2], controllers=["left"]),
        "three_controllers": VariationSweep(applications=[3], assignment=["cfms"], controllers=["left"]),
        "pairs_threshold": VariationSweep(applications=[2], threshold_v=[0.15, 0.49]),
        "pairs_exponent": VariationSweep(applications=[2], voltage_exponent=[1.0, 2.0]),
        "varied_together": VariationSweep(
            applications=[2], members=5, controllers=["left"], threshold_v=[0.15, 0.49], voltage_exponent=[1.0, 2.0]
        ),
        # Section 2.3: one PLL for a cluster of neighbouring SMs.
        "clusters": VariationSweep(applications=[2], members=5, assignment=["cfms"], cluster_sms=[1, 2, 3, 6, 15]),
        "dropped": VariationSweep(applications=[2], curves="dropped", gamma=0.0),
    }


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
    freeing: list[Literal["wait", "migrate", "terminate"]] = Field(
        ["wait"],
        min_length=1,
        description="how an SM is freed: when its thread blocks end, by moving their state, or by ending them",
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
        # Section 6.3.2: the split that the profile says is where the dynamic allocation begins.
        "contention_from_profile": MixSweep(curves="ensemble", members=20, gamma=[0.002, 0.02], initial=["profile"]),
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
