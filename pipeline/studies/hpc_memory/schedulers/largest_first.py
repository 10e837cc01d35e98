"""Largest-First: by decreasing size (paper, Section IV-C), memory asked for or, with `largest_by`, nodes."""

from pipeline.studies.hpc_memory.rules import by_phase

COMPLEXITY = 3


@by_phase
def rule(jobs, scenario):
    """Size of the job in its current phase, largest first."""
    nodes = jobs.nodes[jobs.phase_job]
    return -nodes if scenario["largest_by"] == "nodes" else -(nodes * jobs.phase_memory_gb)
