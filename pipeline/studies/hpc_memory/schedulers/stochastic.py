"""Stochastic: levels of the memory profiles by decreasing gain a GB (paper, Section IV-B, Theorem 2, Algorithm 1)."""

from pipeline.studies.hpc_memory.rules import by_level

COMPLEXITY = 5
PROFILE = True


@by_level
def rule(jobs, scenario):
    """Gain g / c of one more GB at the level below, largest first; profiles are per node, so c falls out."""
    return -jobs.level_gain
