"""Configuration of gpu_sharing's Chapters 4 and 5: process variation and quality of service."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from pipeline.config.sections import NotNegative, Section


class QosSweep(Section):
    """Scenarios of quality of service (Chapter 5): every combination of the lists below, on surrogate curves."""

    members: int = Field(20, ge=1, description="sets of surrogate curves (docs/models/gpu_sharing-qos.md)")
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


class VariationSweep(Section):
    """Scenarios of process variation (Chapter 4): every combination of the lists below, on surrogate curves."""

    members: int = Field(10, ge=1, description="sets of surrogate curves (docs/models/gpu_sharing-qos.md)")
    maps: int = Field(5, ge=1, description="maps of SM frequencies a member")
    applications: list[Annotated[int, Field(ge=2, le=4)]] = Field(
        [2], min_length=1, description="applications a mix: 2 = Table 3's pairs, more = all with both classes"
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
        "chapter_5": QosSweep(),
        "no_contention": QosSweep(levels=[100], gamma=[0.0], schedulers=["profile_minimum"], decide_by=["measured"]),
    }


def variation_sweeps() -> dict[str, VariationSweep]:
    """Default sweeps of process variation."""
    return {
        "pairs": VariationSweep(),
        "three": VariationSweep(applications=[3], assignment=["cfms"]),
    }
