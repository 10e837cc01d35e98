"""As many SMs for each application; the remainder goes one each to the last (thesis, Section 6.1)."""

from numba import njit

from pipeline.studies.gpu_sharing.families import splits
from pipeline.studies.gpu_sharing.model import equal, unfairness
from pipeline.studies.gpu_sharing.rules import least_cost, split

FAMILY = splits
MIG = True
COMPLEXITY = 1


@njit(inline="always")
def unfair_sms(_mix, candidate, _throughput):
    """Unfairness of SMs."""
    return unfairness(candidate)


@split
def rule(mix, sms):
    """As many SMs for each; the remainder one each to the last (thesis, Sections 4.2 and 6.1).

    Of slices the layout whose slices are nearest to each other.
    """
    if len(mix.layouts) > 0:
        least_cost(mix, unfair_sms, sms)
    else:
        equal(mix.sms, sms)
