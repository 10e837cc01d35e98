"""Configuration of gpu_sharing's Chapters 4 and 5: process variation and quality of service."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from pipeline.config.sections import NotNegative, Section


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

    levels: list[Annotated[float, Field(gt=1, le=100)]] = Field(
        [100, 95, 90, 85, 80], min_length=1, description="targets, in per cent of half of the throughput on all SMs"
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
    schedulers: list[Literal["profile_minimum", "dynamic_linear"]] | None = Field(
        None, min_length=1, description="schedulers to compare; null = both"
    )


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
    gamma: NotNegative = Field(1.0, description="contention: 1 as drawn, 0 none")
    schedulers: list[Literal["even_split", "profile"]] | None = Field(
        None, min_length=1, description="schedulers to compare; null = both"
    )


def qos_sweeps() -> dict[str, QosSweep]:
    """Default sweeps of quality of service."""
    return {
        "chapter_5": QosSweep(members=20),
        "no_contention": QosSweep(
            members=20, levels=[100], gamma=[0.0], schedulers=["profile_minimum"], decide_by=["measured"]
        ),
        "dropped": QosSweep(curves="dropped", gamma=[0.0], decide_by=["measured"], midpoint=[True], start=["half"]),
    }


def variation_sweeps() -> dict[str, VariationSweep]:
    """Default sweeps of process variation."""
    return {
        "pairs": VariationSweep(applications=[2]),
        "three": VariationSweep(applications=[3], assignment=["cfms"]),
        "dropped": VariationSweep(applications=[2], curves="dropped", gamma=0.0),
    }
