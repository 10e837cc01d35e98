"""Disaggregated memory on an HPC machine: EASY backfilling over nodes, memory shared among the running jobs."""

from pipeline.studies.hpc_memory.replay import DEFAULTS, replay, targets
from pipeline.studies.hpc_memory.schedulers import SCHEDULERS
from pipeline.studies.hpc_memory.workload import scenarios, workloads


def schedulers() -> tuple[str, ...]:
    """Names of the schedulers that are found."""
    return tuple(SCHEDULERS)


__all__ = ["DEFAULTS", "SCHEDULERS", "replay", "scenarios", "schedulers", "targets", "workloads"]
