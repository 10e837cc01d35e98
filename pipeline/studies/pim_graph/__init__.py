"""Graph traversal over several stacks of memory that compute: work migration and stealing (thesis, chapter 7)."""

from typing import Any

from pipeline.studies.pim_graph.replay import DEFAULTS, replay
from pipeline.studies.pim_graph.schedulers import SCHEDULERS

TAKES = ("graphs",)
"""What a drop has to give for the study to have workloads of it."""
TRAITS = ("POLICY", "CANDIDATES")
"""Constants of the schedulers' files that the scenarios depend on."""
BATCH = 512
"""Scenarios a call of `replay`, which builds each graph anew."""


def schedulers() -> tuple[str, ...]:
    """Names of the schedulers that are found."""
    return tuple(SCHEDULERS)


def __getattr__(name: str) -> Any:
    # A replay does without what workloads are made with, and starts the sooner.
    if name in ("part", "scenarios", "workloads"):
        from pipeline.studies.pim_graph import workload

        return getattr(workload, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["BATCH", "DEFAULTS", "SCHEDULERS", "part", "replay", "scenarios", "schedulers", "workloads"]
