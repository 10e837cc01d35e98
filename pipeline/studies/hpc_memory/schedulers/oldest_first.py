"""Oldest-First: by arrival (paper, Section IV-C)."""

import numpy as np

from pipeline.studies.hpc_memory.rules import by_phase

COMPLEXITY = 2


@by_phase
def rule(jobs, scenario):
    """All alike, so that release time and job id decide."""
    return np.zeros(len(jobs.phase_memory_gb))
