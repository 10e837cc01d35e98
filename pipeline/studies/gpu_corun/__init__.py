"""Which kernels share a GPU, and how: Slate's policy and resizing, MPS, time slicing, and the best split of a pair."""

from typing import Any

from pipeline.fit.intensity import coruns, intensity
from pipeline.studies.gpu_corun.replay import DEFAULTS, replay
from pipeline.studies.gpu_corun.schedulers import SCHEDULERS

TAKES = ("kernels",)
"""What a drop has to give for the study to have workloads of it."""
TRAITS = ("SHARING",)
"""Constants of the schedulers' files that the scenarios depend on."""
BATCH = 16384
"""Scenarios a call of `replay`: they are short, so what a call prepares would be most of the work."""


def schedulers() -> tuple[str, ...]:
    """Names of the schedulers that are found."""
    return tuple(SCHEDULERS)


def __getattr__(name: str) -> Any:
    # A replay does without what workloads are made with, and starts the sooner.
    if name in ("part", "scenarios", "workloads"):
        from pipeline.studies.gpu_corun import workload

        return getattr(workload, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "BATCH",
    "DEFAULTS",
    "SCHEDULERS",
    "coruns",
    "intensity",
    "part",
    "replay",
    "scenarios",
    "schedulers",
    "workloads",
]
