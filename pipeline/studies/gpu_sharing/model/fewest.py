"""The fewest SMs with which applications meet their targets."""

from __future__ import annotations

import numpy as np
from numba import njit

from pipeline.simulation.arrays import copy
from pipeline.studies.gpu_sharing.model import TIE, give_spare, meets, slowdown


@njit(cache=True)
def fewest(mix, sms):
    """Write the fewest SMs with which all targets are met, of all allocations (thesis, Section 5.2).

    Ties go to the lexicographically first. Where no allocation meets all: the one whose worst throughput over target is
    best, then the fewest SMs.
    """
    k, S, target = len(sms), mix.sms, mix.target
    expected, gamma, pressure, gives_spare = mix.expected, mix.gamma, mix.pressure, mix.gives_spare
    size, with_spare, total = np.zeros(k, np.int64), np.zeros(k, np.int64), 0
    for i in range(k):
        size[i] = 1 if target[i] > 0 else 0
        total += size[i]
    found, least, best_worst, best_total = False, S + 1, -1.0, S + 1
    while True:
        if total <= S:
            copy(size, with_spare)
            give_spare(S, gives_spare, target, with_spare)
            worst, every = np.inf, True
            for i in range(k):
                if target[i] > 0:
                    throughput = expected[i, size[i]] / slowdown(0, k, i, gamma, pressure, with_spare)
                    every &= meets(throughput, target[i])
                    worst = -np.inf if np.isnan(throughput) else min(worst, throughput / target[i])
            better = total < least if every else (
                not found and (worst > best_worst * (1 + TIE)
                               or (worst >= best_worst * (1 - TIE) and total < best_total))
            )  # fmt: skip
            if better:
                copy(size, sms)
                if every:
                    found, least = True, total
                else:
                    best_worst, best_total = max(worst, best_worst), total
        # The next vector in lexicographic order: a slot counts up to what the others leave, then starts again at 1.
        i = k - 1
        while i >= 0 and (size[i] == 0 or total >= min(S, least)):
            if size[i] > 0:
                total -= size[i] - 1
                size[i] = 1
            i -= 1
        if i < 0:
            return
        size[i] += 1
        total += 1
