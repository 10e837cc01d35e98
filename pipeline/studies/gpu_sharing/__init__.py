"""Sharing the streaming multiprocessors of a GPU: fairness, quality of service, process variation."""

from typing import Any

from pipeline.studies.gpu_sharing.replay import DEFAULTS, replay
from pipeline.studies.gpu_sharing.schedulers import SCHEDULERS

TAKES = ("sm_curves",)
"""What a drop has to give, one of these, for the study to have workloads of it."""
TRAITS = ("FAMILY",)
"""Constants of the schedulers' files that the scenarios depend on."""
BATCH = 65536
"""Scenarios a call of `replay`: they are short, so what a call prepares would be most of the work."""


def schedulers() -> tuple[str, ...]:
    """Names of the schedulers that are found."""
    return tuple(SCHEDULERS)


def __getattr__(name: str) -> Any:
    # A replay does without what workloads are made with, and starts the sooner.
    if name in ("part", "scenarios", "workloads"):
        from pipeline.studies.gpu_sharing import workload

        return getattr(workload, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["BATCH", "DEFAULTS", "SCHEDULERS", "part", "replay", "scenarios", "schedulers", "workloads"]
