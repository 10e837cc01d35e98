"""Always co-run: the first ready applications share the SMs equally, whatever their intensities."""

from numba import njit

from pipeline.studies.gpu_corun.rules import give, share

OPTIONS = ("task_size",)
MOST_APPLICATIONS = None
OVERHEAD = ("communication", "injection")
TRANSFORMED = True
COMPLEXITY = 1
TOGETHER = 3


@share
def rule(now_s, machine, scenario, apps, state, choice, notes):
    """The first three of those that run and wait; SMs that do not divide go to those that began first."""
    waiting, i = 0, state.first
    while i >= 0 and waiting < TOGETHER:
        waiting, i = waiting + 1, state.after[i]
    count = min(state.running + waiting, TOGETHER, machine.sms)
    for k in range(state.running):
        give(choice, state.runs[k], part(k, count, machine.sms))
    i = state.first
    for k in range(state.running, count):
        give(choice, i, part(k, count, machine.sms))
        i = state.after[i]


@njit(cache=True)
def part(k, count, sms):
    """SMs of the k-th of so many applications."""
    return sms // count + (k < sms % count)
