"""The split with throughputs nearest to each other (thesis, Section 6.1)."""

from numba import njit

from pipeline.studies.gpu_sharing.families import splits
from pipeline.studies.gpu_sharing.model import unfairness
from pipeline.studies.gpu_sharing.rules import least_cost, split

FAMILY = splits
MIG = True
COMPLEXITY = 2


@njit(inline="always")
def unfair_throughput(_mix, _candidate, throughput):
    """Unfairness of throughput."""
    return unfairness(throughput)


@split
def rule(mix, sms):
    """Throughputs nearest to each other (thesis, Section 6.1)."""
    least_cost(mix, unfair_throughput, sms)
