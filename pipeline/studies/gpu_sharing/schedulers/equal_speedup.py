"""The split with speed-ups over cooperative multitasking nearest to each other (thesis, Section 6.1)."""

from numba import njit

from pipeline.studies.gpu_sharing.families import splits
from pipeline.studies.gpu_sharing.model import unfairness
from pipeline.studies.gpu_sharing.rules import least_cost, split, to_speedups

FAMILY = splits
MIG = True
COMPLEXITY = 3


@njit(inline="always")
def unfair_speedup(mix, _candidate, throughput):
    """Unfairness of speed-ups."""
    to_speedups(throughput, mix.cooperative)
    return unfairness(throughput)


@split
def rule(mix, sms):
    """Speed-ups over cooperative multitasking nearest to each other (thesis, Section 6.1)."""
    least_cost(mix, unfair_speedup, sms)
