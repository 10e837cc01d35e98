"""Process variation: which SMs, each with a frequency of its own, an application has and what it does with them.

Thesis, Chapter 4; docs/models/gpu_sharing-variation.md. Arrays in, arrays out. Those of a batch of scenarios:

* one value a scenario: `sms`, `first` (one more than scenarios: where its slots begin), `frequency_row` (its map of
  frequencies; -1: one clock, all SMs at 1), `slow_first` (compute-bound applications on slow SMs);
* one a slot: `row` (its curve), `gamma`, `pressure` (as in qos), `speedup` (at 1.4 times the clock), `compute_bound`,
  `by_curve` (throughput from the curve at the sum of frequencies, and not from `speedup`);
* `isolated`: IPC alone, one row a curve, column n for n SMs, column 0 is 0; `normalised` is the same over its value on
  all SMs of the scenario;
* `frequencies`: one row a map, the fastest SM first, 1 for the slowest.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from pipeline.studies.gpu_sharing.qos import slowdown

COMPUTE_BOUND = 1.30
"""Speed-up at 1.4 times the clock from which on an application counts as compute-bound (Section 4.1)."""
FULL_RAISE = 0.4
"""Rise of the clock at which `speedup` is stated."""
TIE = 1e-12
"""Sums of normalised throughput closer than this tie (relative)."""


@njit(cache=True)
def beyond(isolated, S, n):
    """IPC on n SMs, n any number: linear between whole numbers; from S on along the last segment, never down."""
    if n >= S:
        return isolated[S] + (n - S) * max(0.0, isolated[S] - isolated[S - 1])
    below = int(n)
    return isolated[below] + (n - below) * (isolated[below + 1] - isolated[below])


@njit(cache=True)
def speedups_of_curves(isolated, row, sms):
    """Speed-up at 1.4 times the clock of each slot on `sms` (one each, any number), an SM then being worth 1.4 SMs.

    It is 1 at least, also where the curve falls.
    """
    speedup = np.ones(len(row))
    last = isolated.shape[1] - 1
    for i in range(len(row)):
        its = isolated[row[i]]
        base = beyond(its, last, sms[i])
        if base > 0:
            speedup[i] = max(1.0, beyond(its, last, (1.0 + FULL_RAISE) * sms[i]) / base)
    return speedup


@njit(cache=True)
def even_split(a, b, S, held):
    """S div k SMs for each of the k slots a..b, the remainder one each to the last."""
    held[a:b] = S // (b - a)
    held[b - S % (b - a) : b] += 1


@njit(cache=True)
def profile_split(a, b, S, row, isolated, held, value, choice):
    """The split of S SMs among the slots a..b with the largest sum of isolated over isolated on all S SMs.

    At least one SM each, all used; ties (TIE) go to the lexicographically first. By dynamic programming from the last
    slot: the best sum is additive, so that what is best for the later slots depends on the SMs that are left only.
    value, choice: room of shape (most slots + 1, S + 1).
    """
    k = b - a
    value[k, :] = -np.inf
    value[k, 0] = 0.0
    for p in range(k - 1, -1, -1):
        its = isolated[row[a + p]]
        for left in range(S + 1):
            value[p, left] = -np.inf
            for n in range(1, left + 1):
                total = its[n] / its[S] + value[p + 1, left - n]
                if total > value[p, left] * (1 + TIE) if value[p, left] > 0 else total > value[p, left]:
                    value[p, left], choice[p, left] = total, n
    left = S
    for p in range(k):
        held[a + p] = choice[p, left]
        left -= choice[p, left]


@njit(cache=True)
def takes_before(i, j, compute_bound, speedup):
    """Whether slot i has faster SMs than j under CFMS: compute-bound first, then the more sensitive, then by slot."""
    if compute_bound[i] != compute_bound[j]:
        return compute_bound[i]
    if speedup[i] != speedup[j]:
        return speedup[i] > speedup[j]
    return i < j


@njit(cache=True)
def blocks(a, b, slow_first, compute_bound, speedup, held, begin):
    """Where the block of SMs of each slot of a..b begins among the SMs from the fastest to the slowest."""
    for i in range(a, b):
        begin[i] = 0
        for j in range(a, b):
            if j != i and takes_before(j, i, compute_bound, speedup) != slow_first:
                begin[i] += held[j]


@njit(cache=True)
def throughputs(a, b, S, frequency, begin, row, gamma, pressure, speedup, by_curve, isolated, held, throughput):
    """Throughput (IPC, in cycles of the slowest SM) of the slots a..b on their blocks of SMs.

    frequency: of the SMs from the fastest to the slowest, shape (S,).
    """
    for i in range(a, b):
        clock = 0.0
        for m in range(begin[i], begin[i] + held[i]):
            clock += frequency[m]
        if by_curve[i]:
            # Where a curve falls, more SMs harm; a faster clock on the same ones does not.
            alone = max(isolated[row[i], held[i]], beyond(isolated[row[i]], S, clock))
        else:
            raised = (clock / held[i] - 1.0) / FULL_RAISE
            alone = isolated[row[i], held[i]] * (1.0 + (speedup[i] - 1.0) * raised)
        throughput[i] = alone / slowdown(a, b, i, gamma, pressure, held)


@njit(cache=True)
def run(sms, first, frequency_row, slow_first, by_profile, row, gamma, pressure, speedup, compute_bound, by_curve,
        isolated, frequencies):  # fmt: skip
    """SMs, mean frequency of these and throughput (IPC) of every slot of every scenario.

    by_profile: one a scenario, split by profile and not evenly.
    """
    slots, most, widest = first[-1], 1, 1
    for s in range(len(sms)):
        most, widest = max(most, first[s + 1] - first[s]), max(widest, sms[s])
    held, begin = np.zeros(slots, np.int64), np.zeros(slots, np.int64)
    throughput, clock = np.zeros(slots), np.ones(slots)
    value, choice = np.empty((most + 1, widest + 1)), np.zeros((most + 1, widest + 1), np.int64)
    one_clock = np.ones(widest)
    for s in range(len(sms)):
        a, b, S = first[s], first[s + 1], sms[s]
        if by_profile[s]:
            profile_split(a, b, S, row, isolated, held, value, choice)
        else:
            even_split(a, b, S, held)
        blocks(a, b, slow_first[s], compute_bound, speedup, held, begin)
        frequency = one_clock if frequency_row[s] < 0 else frequencies[frequency_row[s]]
        throughputs(a, b, S, frequency, begin, row, gamma, pressure, speedup, by_curve, isolated, held, throughput)
        for i in range(a, b):
            total = 0.0
            for m in range(begin[i], begin[i] + held[i]):
                total += frequency[m]
            clock[i] = total / held[i]
    return held, clock, throughput
