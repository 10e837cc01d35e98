"""Disaggregated memory on an HPC machine: EASY backfilling over nodes, memory shared among the running jobs."""

from typing import Any

from pipeline.studies.hpc_memory.replay import DEFAULTS, replay, targets
from pipeline.studies.hpc_memory.schedulers import SCHEDULERS

TAKES = ("jobs", "samples", "phases")
"""What a drop has to give, one of these, for the study to have workloads of it."""


def schedulers() -> tuple[str, ...]:
    """Names of the schedulers that are found."""
    return tuple(SCHEDULERS)


def __getattr__(name: str) -> Any:
    # A replay does without what workloads are made with, and starts the sooner.
    if name in ("part", "scenarios", "workloads"):
        from pipeline.studies.hpc_memory import workload

        return getattr(workload, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["DEFAULTS", "SCHEDULERS", "part", "replay", "scenarios", "schedulers", "targets", "workloads"]
