"""What a scheduler of this study is: a rule that says how many SMs each application gets.

A scheduler's file has a function `rule` under `@split`.
`equal`, `beside` and the others of `model` help in it, and `least_cost` looks at every split. Functions of one's own
that a rule calls are under numba's `njit`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from pipeline.simulation.arrays import copy
from pipeline.simulation.rules import Floats, FloatTable, Integers, Rule, signature
from pipeline.studies.gpu_sharing.model import TIE, beside, following


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
    """Time since the start, in cycles, where the rule is asked round by round."""
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


def gives_fewest(rule: Rule) -> Rule:
    """Decorator of a rule of the family qos that writes the fewest SMs which meet all targets (`model.qos.fewest`).

    The engine measures these for every scenario (`least_sms`), and does not ask where it would get the same.
    """
    vars(rule)["fewest"] = True
    return rule


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
        candidate_cost = np.inf if np.isnan(total) else cost(mix, candidate, throughput)
        if candidate_cost < least - TIE or (candidate_cost <= least + TIE and total > largest + TIE * abs(largest)):
            least, largest = candidate_cost, total
            copy(candidate, sms)
        number += 1
        more = next_split(mix.layouts, number, candidate)


@njit
def to_speedups(throughput, cooperative):
    """Make throughput speed-ups over cooperative multitasking; returns the least."""
    slowest = np.inf
    for i in range(len(throughput)):
        throughput[i] /= cooperative[i]
        slowest = min(slowest, throughput[i])
    return slowest
