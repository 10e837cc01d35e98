"""Priority: first the jobs with most nodes per GB needed now (paper, Section IV-A; optimal by Theorem 1)."""

from pipeline.studies.hpc_memory.rules import by_phase

COMPLEXITY = 4


@by_phase
def rule(jobs, scenario):
    """Need per node: c / (c x) decreasing is x increasing."""
    return jobs.phase_memory_gb
