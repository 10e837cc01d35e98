"""The largest system throughput that slows no application below cooperative multitasking (thesis, Section 6.1)."""

from numba import njit

from pipeline.studies.gpu_sharing.families import splits
from pipeline.studies.gpu_sharing.model import TIE, unfairness
from pipeline.studies.gpu_sharing.rules import least_cost, split, to_speedups

FAMILY = splits
MIG = True
COMPLEXITY = 4


@njit(inline="always")
def unfair_where_one_is_slowed(mix, _candidate, throughput):
    """Less than any unfairness where no speed-up is below 1; else the unfairness of speed-ups."""
    slowest = to_speedups(throughput, mix.cooperative)
    return -1.0 if slowest >= 1.0 - TIE else unfairness(throughput)


@split
def rule(mix, sms):
    """The largest sum of throughput with every speed-up at least 1, or as equal_speedup (thesis, Section 6.1)."""
    least_cost(mix, unfair_where_one_is_slowed, sms)
