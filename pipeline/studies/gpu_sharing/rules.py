"""What a scheduler of this study is: a rule that says how many SMs each application gets; and the rules of the thesis.

A preset takes one of them, `rule = rules.equal_speedup`; a file of one's own has a function `rule` under `@split`.
`equal`, `beside` and the others of `model` help in it, and `least_cost` looks at every split. Functions of one's own
that a rule calls are under numba's `njit`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from pipeline.simulation.arrays import copy
from pipeline.simulation.rules import Floats, FloatTable, Integers, signature
from pipeline.studies.gpu_sharing.model import TIE, beside, equal, following, give_spare, meets, slowdown, unfairness

EXACT = 1e-9
"""SMs by which target * n / T may exceed a whole number and still ask for that number: division rounds."""


class Mix(NamedTuple):
    """Applications that run at once, k of them in the order of their slots, and the GPU that they share.

    Throughput is IPC. What a scenario does not have is 0: targets outside of quality of service, `held` and `measured`
    before the first round; all clocks and `clock_speedup` are 1 outside of process variation.
    """

    sms: int
    """SMs of the GPU, S."""
    seed: int
    """Seed of the scenario."""
    round: int
    """Rounds that were measured so far: 0 where the rule is asked before anything runs."""
    now_cycles: float
    """Time since the start, in cycles, of dynamic allocation."""
    profile: FloatTable
    """Throughput of each alone on 0, 1, …, S SMs, shape (k, S + 1)."""
    expected: FloatTable
    """What to decide by, shape (k, S + 1): the profile, or in dynamic allocation what the last round predicts."""
    cooperative: Floats
    """Throughput of each in cooperative multitasking: alone on all SMs, 1/k of the time."""
    pressure: Floats
    """What each SM of an application adds to the contention of others."""
    gamma: Floats
    """Contention: T_i = alone_i / (1 + gamma_i sum of pressure_j SMs_j over others); 0 where it is not to be seen."""
    block_cycles: Floats
    """Cycles of a thread block of each: an SM that it gives up is free within these."""
    target: Floats
    """Throughput that an application is to reach; 0: it has no target."""
    gives_spare: bool
    """Whether applications without a target have the SMs that those with one leave."""
    midpoint: bool
    """Whether an application is to go half of the way only when it shrinks (quality of service)."""
    held: Integers
    """SMs of each in the last round."""
    measured: Floats
    """Throughput of each in the last round, beside the others."""
    clock: Floats
    """Clock of the SMs from the fastest to the slowest, which is 1, shape (S,)."""
    clock_speedup: Floats
    """Speed-up of each application at 1.4 times the clock."""
    layouts: Integers
    """Splits that a GPU in MIG slices can have, k numbers of SMs each, one after the other, in lexicographic order;
    empty where any split of all SMs can be. Throughput is NaN on slices that were not measured."""
    memory: FloatTable
    """Room of the rule, shape (k, S + 2): 0 when a mix is first asked about, then as the rule left it."""


@signature
def split(mix: Mix, sms: Integers) -> None:
    """Write to `sms` how many SMs each application of the mix gets; it holds zeros when the rule is called.

    Each gets at least one. By the family that the scheduler's file states (`families`):

    * splits: all SMs are used, or each application gets all of them: they then take turns (cooperative multitasking).
      A rule of a file that states `MIG = True` is asked about GPUs in slices as well, and chooses one of `layouts`;
    * dynamic: all are used. The rule is asked again after each round, until it leaves all SMs where they are, chooses a
      split that there was before or 64 rounds are over;
    * qos: applications with a target together get at most all. The others share evenly what is left if the rule leaves
      them 0 SMs, where `mix.gives_spare`; where not, they get none and the SMs that are left are idle;
    * qos_rounds: the same, asked again after each round, until it leaves all SMs where they are or there were 8 rounds
      for each application and SM;
    * variation: all are used.

    A choice that breaks this ends the replay with a ValueError. The arrays of the mix but `memory` are to be read only.
    """


@njit
def next_split(layouts, number, candidate):
    """Make `candidate` the split of this number, from 0, given the one before it; False where there are no more."""
    if len(layouts) == 0:
        return following(candidate)
    k = len(candidate)
    if (number + 1) * k > len(layouts):
        return False
    copy(layouts[number * k : (number + 1) * k], candidate)
    return True


@njit(inline="always")
def least_cost(mix, cost, sms):
    """Write the split with the least cost to `sms`: of all SMs, one at least each; or of `layouts`, all measured.

    cost(mix, candidate, throughput) is a function under `njit` that gives a number, from the SMs of each application
    and its throughput on them, beside the others as far as the rule sees contention; it may write to `throughput`.
    Ties (TIE) go to the larger sum of throughput, then to the lexicographically first.
    """
    k = len(sms)
    expected, pressure, gamma = mix.expected, mix.pressure, mix.gamma
    candidate, throughput = np.ones(k, np.int64), np.empty(k)
    candidate[k - 1] = mix.sms - (k - 1)
    least, largest = np.inf, -np.inf
    contended = gamma.max() > 0
    number, more = 0, True
    if len(mix.layouts) > 0:
        next_split(mix.layouts, 0, candidate)
    while more:
        for i in range(k):
            throughput[i] = expected[i, candidate[i]]
        if contended:
            beside(throughput, candidate, pressure, gamma, throughput)
        total = 0.0
        for value in throughput:
            total += value
        found = np.inf if np.isnan(total) else cost(mix, candidate, throughput)
        if found < least - TIE or (found <= least + TIE and total > largest + TIE * abs(largest)):
            least, largest = found, total
            copy(candidate, sms)
        number += 1
        more = next_split(mix.layouts, number, candidate)


@njit(inline="always")
def no_difference(_mix, _candidate, _throughput):
    """Every split costs the same: the largest sum of throughput is taken."""
    return 0.0


@njit(inline="always")
def unfair_sms(_mix, candidate, _throughput):
    """Unfairness of SMs."""
    return unfairness(candidate)


@njit(inline="always")
def unfair_throughput(_mix, _candidate, throughput):
    """Unfairness of throughput."""
    return unfairness(throughput)


@njit
def to_speedups(throughput, cooperative):
    """Make throughput speed-ups over cooperative multitasking; returns the least."""
    slowest = np.inf
    for i in range(len(throughput)):
        throughput[i] /= cooperative[i]
        slowest = min(slowest, throughput[i])
    return slowest


@njit(inline="always")
def unfair_speedup(mix, _candidate, throughput):
    """Unfairness of speed-ups."""
    to_speedups(throughput, mix.cooperative)
    return unfairness(throughput)


@njit(inline="always")
def unfair_where_one_is_slowed(mix, _candidate, throughput):
    """Less than any unfairness where no speed-up is below 1; else the unfairness of speed-ups."""
    slowest = to_speedups(throughput, mix.cooperative)
    return -1.0 if slowest >= 1.0 - TIE else unfairness(throughput)


@split
def cooperative(mix, sms):
    """All SMs for each application, in turn (thesis, Chapter 3)."""
    sms[:] = mix.sms


@split
def equal_compute(mix, sms):
    """As many SMs for each; the remainder one each to the last (thesis, Sections 4.2 and 6.1).

    Of slices the layout whose slices are nearest to each other.
    """
    if len(mix.layouts) > 0:
        least_cost(mix, unfair_sms, sms)
    else:
        equal(mix.sms, sms)


@split
def equal_throughput(mix, sms):
    """Throughputs nearest to each other (thesis, Section 6.1)."""
    least_cost(mix, unfair_throughput, sms)


@split
def equal_speedup(mix, sms):
    """Speed-ups over cooperative multitasking nearest to each other (thesis, Section 6.1)."""
    least_cost(mix, unfair_speedup, sms)


@split
def max_fair_throughput(mix, sms):
    """The largest sum of throughput with every speed-up at least 1, or as equal_speedup (thesis, Section 6.1)."""
    least_cost(mix, unfair_where_one_is_slowed, sms)


@split
def max_throughput(mix, sms):
    """The largest sum of throughput (thesis, Section 6.2)."""
    least_cost(mix, no_difference, sms)


@split
def max_profile(mix, sms):
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


@split
def fewest(mix, sms):
    """The fewest SMs with which all targets are met, of all allocations (thesis, Section 5.2).

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


@split
def linear(mix, sms):
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
