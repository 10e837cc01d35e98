"""Sharing the ranks of a processing-in-memory machine: PIM-CARE, VirtualPIM, their baselines and exact optima."""

from typing import Any

from pipeline.studies.pim_ranks.replay import DEFAULTS, replay
from pipeline.studies.pim_ranks.schedulers import SCHEDULERS

TAKES = ("pim_runs", "perf_points")
"""What a drop has to give, one of these, for the study to have workloads of it."""
TRAITS = ("DISPATCH",)
"""Constants of the schedulers' files that the scenarios depend on."""
BATCH = 4096
"""Scenarios a call of `replay`: they are short, so what a call prepares would be most of the work."""


def schedulers() -> tuple[str, ...]:
    """Names of the schedulers that are found."""
    return tuple(SCHEDULERS)


def __getattr__(name: str) -> Any:
    # A replay does without what workloads are made with, and starts the sooner.
    if name in ("part", "scenarios", "workloads"):
        from pipeline.studies.pim_ranks import workload

        return getattr(workload, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["BATCH", "DEFAULTS", "SCHEDULERS", "part", "replay", "scenarios", "schedulers", "workloads"]
