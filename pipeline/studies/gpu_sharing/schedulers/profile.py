"""The split with the largest sum of normalised curves, fast SMs to those that gain from them (thesis, Section 4.2)."""

import numpy as np

from pipeline.studies.gpu_sharing.families import variation
from pipeline.studies.gpu_sharing.model import TIE
from pipeline.studies.gpu_sharing.rules import split

FAMILY = variation
COMPLEXITY = 3


@split
def rule(mix, sms):
    """The largest sum of throughput alone over throughput alone on all SMs (thesis, Section 4.2).

    Ties (TIE) go to the lexicographically first. By dynamic programming from the last slot: the sum is additive, so
    that what is best for the later slots depends on the SMs that are left only.
    """
    k, S = len(sms), mix.sms
    value, choice = np.empty((k + 1, S + 1)), np.zeros((k, S + 1), np.int64)
    value[k, :] = -np.inf
    value[k, 0] = 0.0
    for p in range(k - 1, -1, -1):
        for left in range(S + 1):
            value[p, left] = -np.inf
            for n in range(1, left + 1):
                total = mix.profile[p, n] / mix.profile[p, S] + value[p + 1, left - n]
                if total > value[p, left] * (1 + TIE) if value[p, left] > 0 else total > value[p, left]:
                    value[p, left], choice[p, left] = total, n
    left = S
    for p in range(k):
        sms[p] = choice[p, left]
        left -= choice[p, left]
