"""Configuration of memory_tiers."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from pipeline.config.sections import NotNegative, Part, Positive, Section, Share, scheduler_of

SchedulerName = scheduler_of("memory_tiers")


class Sensitivity(Section):
    """A class of jobs by what pool memory does to them."""

    share: Share = Field(description="share of the jobs")
    slowdown: NotNegative = Field(description="growth of a job's run time with all its memory in the pool")


POND = {
    "none": Sensitivity(share=0.26, slowdown=0.005),
    "low": Sensitivity(share=0.17, slowdown=0.03),
    "medium": Sensitivity(share=0.36, slowdown=0.15),
    "high": Sensitivity(share=0.21, slowdown=0.4),
}
"""Shares of 158 workloads by slowdown at 182 % of the local latency (Pond, ASPLOS 2023, Section 3.3): below 1 %, 1 to
5 %, 5 to 25 %, above 25 %. What each class's slowdown is inside its range is ours."""


class TiersSweep(Section):
    """Scenarios of memory_tiers: every combination of the lists below, on windows of traces."""

    traces: list[str] | None = Field(None, description="traces to replay; null = all whose jobs have memory")
    jobs: int | None = Field(
        None, ge=1, description="jobs per window; null = all of a trace, in parts where it has more than 100,000"
    )
    batches: int = Field(5, ge=1, description="windows of `jobs` jobs, spread over the trace")
    local_over_mean: list[NotNegative] = Field(
        [0.0, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0],
        min_length=1,
        description="memory of each node, as a multiple of the mean that a node in use uses (by node-seconds)",
    )
    pool_over_mean: list[NotNegative] = Field(
        [0.125, 0.25, 0.5, 0.75, 1.0, 2.0, 4.0],
        min_length=1,
        description="the pool divided by the nodes, in the same unit",
    )
    schedulers: list[SchedulerName] | None = Field(None, min_length=1, description="schedulers to compare; null = all")
    sensitivity_scale: list[NotNegative] = Field(
        [1.0], min_length=1, description="what sensitivities are multiplied by: 0 = the pool is as fast as local memory"
    )
    backfilling: list[Literal["easy", "fcfs", "reserve"]] = Field(
        ["easy"], min_length=1, description="EASY over both, none, or the general form with reserve_depth"
    )
    reserve_depth: list[Annotated[int, Field(ge=-1)]] = Field(
        [-1], min_length=1, description="reserve: waiting jobs that hold a reservation; 1 = EASY, -1 = all"
    )
    growth: list[Literal["wait", "requeue"]] = Field(
        ["wait"], min_length=1, description="dynamic_pool: what becomes of a job whose growth does not fit"
    )


class MemoryTiers(Section):
    """Local memory beside a shared pool."""

    sweeps: dict[str, TiersSweep | None] = Field(
        default_factory=lambda: {"whole": TiersSweep(jobs=None)},
        description="named sets of scenarios; a scenario in two of them runs once, null = left out",
    )
    sensitivity: dict[str, Sensitivity] = Field(
        default_factory=lambda: dict(POND),
        min_length=1,
        description="classes of jobs by sensitivity to pool memory, drawn; default: shares as in Pond (ASPLOS 2023, "
        "Section 3.3), slowdowns within its ranges assumed",
    )
    request_over_use: tuple[Positive, Positive] = Field(
        (1.0, 2.0),
        description="a request that a log does not have is the largest phase times a factor, uniform in this range "
        "(assumed)",
    )
    loss_bounds: list[Part] = Field(
        [0.005, 0.01, 0.02, 0.05],
        min_length=1,
        description="losses of utilisation for which the cheapest mix is sought",
    )
    response_bound: NotNegative = Field(
        0.1, description="growth of the mean response time that the cheapest mix keeps, too"
    )

    @model_validator(mode="after")
    def _is_a_law(self) -> MemoryTiers:
        total = sum(each.share for each in self.sensitivity.values())
        if abs(total - 1) > 1e-9:
            raise ValueError(f"sensitivity: shares sum to {total:g}; 1 would be right")
        low, high = self.request_over_use
        if not 1 <= low <= high:
            raise ValueError(f"request_over_use: {low:g} to {high:g}; two rising numbers from 1 on would be right")
        return self
