"""Partitions of a GPU's streaming multiprocessors for real-time kernels that are in each other's way."""

from typing import Any

from pipeline.studies.gpu_partition import schedulability
from pipeline.studies.gpu_partition.replay import DEFAULTS, replay
from pipeline.studies.gpu_partition.schedulers import SCHEDULERS

TAKES = ("tasks", "sm_curves")
"""What a drop has to give for the study to have workloads of it."""
TRAITS = ("METHOD",)
"""Constants of the schedulers' files that the scenarios depend on."""
BATCH = 4096
"""Scenarios a call of `replay`: they are short, so what a call prepares would be most of the work."""


def schedulers() -> tuple[str, ...]:
    """Names of the schedulers that are found."""
    return tuple(SCHEDULERS)


def __getattr__(name: str) -> Any:
    # A replay does without what workloads are made with, and starts the sooner.
    if name in ("part", "scenarios", "workloads"):
        from pipeline.studies.gpu_partition import workload

        return getattr(workload, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "BATCH",
    "DEFAULTS",
    "SCHEDULERS",
    "part",
    "replay",
    "scenarios",
    "schedulability",
    "schedulers",
    "workloads",
]
