"""The largest system throughput, whatever it does to an application (thesis, Section 6.2)."""

from numba import njit

from pipeline.studies.gpu_sharing.families import splits
from pipeline.studies.gpu_sharing.rules import least_cost, split

FAMILY = splits
MIG = True
COMPLEXITY = 2


@njit(inline="always")
def no_difference(_mix, _candidate, _throughput):
    """Every split costs the same: the largest sum of throughput is taken."""
    return 0.0


@split
def rule(mix, sms):
    """The largest sum of throughput (thesis, Section 6.2)."""
    least_cost(mix, no_difference, sms)
