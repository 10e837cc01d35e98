"""Rounds of measuring QoS applications and resizing them by a line through the origin (thesis, Section 5.4)."""

import numpy as np
from numba import njit

from pipeline.studies.gpu_sharing.families import qos_rounds
from pipeline.studies.gpu_sharing.model import meets
from pipeline.studies.gpu_sharing.rules import split

FAMILY = qos_rounds
COMPLEXITY = 5

EXACT = 1e-9
"""SMs by which target * n / T may exceed a whole number and still ask for that number: division rounds."""


@split
def rule(mix, sms):
    """Each application with a target goes where a line through the origin and its measurement says (Section 5.4).

    First those that meet their targets shrink, then the others grow. A size at which an application was seen below its
    target, which `memory` marks, is not entered again.
    """
    free = mix.sms
    for i in range(len(sms)):
        if mix.target[i] > 0:
            sms[i] = mix.held[i]
            free -= sms[i]
    for i in range(len(sms)):
        if mix.target[i] > 0 and meets(mix.measured[i], mix.target[i]):
            sms[i] = smaller(mix, i)
            free += mix.held[i] - sms[i]
    for i in range(len(sms)):
        if mix.target[i] > 0 and not meets(mix.measured[i], mix.target[i]):
            mix.memory[i, mix.held[i]] = 1.0
            sms[i] = larger(mix, i, mix.held[i] + free)
            free -= sms[i] - mix.held[i]


@njit
def needed(mix, i):
    """SMs for the target of application i by the line through the origin and what was measured (Section 5.4)."""
    if mix.measured[i] <= 0.0:
        return np.int64(2**31)
    return np.int64(np.ceil(min(mix.target[i] * mix.held[i] / mix.measured[i] - EXACT, 2.0**31)))


@njit
def smaller(mix, i):
    """SMs that application i, which meets its target, shrinks to; as many as it holds where it stays."""
    n, size = mix.held[i], max(needed(mix, i), 1)
    if mix.midpoint:
        size = max(size, (n + size) // 2)
    while size < n and mix.memory[i, size] > 0:
        size += 1
    return min(size, n)


@njit
def larger(mix, i, most):
    """SMs that application i, which misses its target, grows to, with `most` within reach."""
    n = mix.held[i]
    size = max(n + 1, needed(mix, i))
    while size <= most and mix.memory[i, size] > 0:
        size += 1
    size = min(size, most)
    while size > n and mix.memory[i, size] > 0:
        size -= 1
    return max(size, n)
