"""Slate: kernels of complementary intensity run side by side on SMs of their own, the others alone (Section III)."""

import numpy as np
from numba import njit

from pipeline.simulation.easy import leaf
from pipeline.studies.gpu_corun.model.contention import progress_of_two
from pipeline.studies.gpu_corun.rules import BEST, INSTANT, SATURATE, give, share

OPTIONS = ("split", "symmetry", "task_size", "cached")
MOST_APPLICATIONS = None
OVERHEAD = ("communication", "injection")
TRANSFORMED = True
COMPLEXITY = 2


@share
def rule(now_s, machine, scenario, apps, state, choice, notes):
    """The first of the queue and, on SMs of its own, the first that Table I lets run beside it."""
    if state.running < 2:
        active = state.runs[0] if state.running else state.first
        other = first_beside(active, scenario, apps, state) if machine.sms > 1 else -1
        sms = machine.sms if other < 0 else sms_of_active(active, other, machine, scenario, apps, state)
        give(choice, active, sms)
        if other >= 0:
            give(choice, other, machine.sms - sms)


@njit(cache=True, inline="always")
def first_beside(active, scenario, apps, state):
    """Who has waited longest of those that Table I lets run beside the active kernel; -1 = nobody."""
    first = -1
    for kind in range(len(scenario.table_1)):
        if scenario.table_1[apps.kind[active], kind]:
            i = state.first_of[kind]
            if i == active:
                i = state.after_of[i]
            if i >= 0 and (first < 0 or state.place[i] < state.place[first]):
                first = i
    return first


@njit(cache=True, inline="always")
def sms_of_active(active, other, machine, scenario, apps, state):
    """SMs that the active kernel has where another runs beside it, by the scenario's `split`."""
    sms = machine.sms - machine.sms // 2
    if scenario.split == SATURATE:
        first = active if apps.saturation[active] <= apps.saturation[other] else other
        need = int(np.ceil(apps.saturation[first] * machine.sms * (1.0 - INSTANT)))
        need = min(max(need, 1), machine.sms - 1)
        sms = need if first == active else machine.sms - need
    elif scenario.split == BEST:
        sms = soonest_split(active, other, machine, apps, state.remaining_s)
    return sms


@leaf
def soonest_split(active, other, machine, apps, remaining_s):
    """SMs of the active kernel with which two take the least time until both would be done; the fewest of equals."""
    best, least_s = 1, np.inf
    alone_a_s = remaining_s[active] / apps.speed[active]
    alone_b_s = remaining_s[other] / apps.speed[other]
    for sms in range(1, machine.sms):
        x_a, x_b = progress_of_two(active, other, sms, machine.sms - sms, machine, apps)
        both_s = min(alone_a_s / x_a, alone_b_s / x_b)
        whole_s = both_s + max(alone_a_s - both_s * x_a, 0.0) + max(alone_b_s - both_s * x_b, 0.0)
        if whole_s < least_s * (1.0 - INSTANT):
            best, least_s = sms, whole_s
    return best
