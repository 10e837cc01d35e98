"""Oldest-First: by arrival (paper, Section IV-C)."""

import numpy as np

from pipeline.studies.hpc_memory import rules

rule = rules.phases
COMPLEXITY = 2


def order(jobs, scenario):
    """All alike, so that release time and job id decide."""
    return np.zeros(len(jobs.phase_memory_gb))
