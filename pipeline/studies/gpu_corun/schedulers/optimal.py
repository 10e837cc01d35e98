"""The least makespan of a pair: one after the other as under MPS or Slate, or the best split of the SMs.

Ours; the rule stands in docs/models/gpu_corun.md.
"""

from pipeline.studies.gpu_corun.rules import give, share

OPTIONS = ("task_size",)
MOST_APPLICATIONS = 2
OVERHEAD = ("communication", "injection")
TRANSFORMED = True
COMPLEXITY = 3


@share
def rule(now_s, machine, scenario, apps, state, choice, notes):
    """One after the other; where two wait, the second of the queue goes first if scenario.split is 1."""
    if state.running == 0:
        second = state.after[state.first]
        give(choice, second if scenario.split and second >= 0 else state.first, machine.sms)


@share
def together(now_s, machine, scenario, apps, state, choice, notes):
    """Two side by side, application 0 on scenario.split SMs; one alone has them all."""
    active = state.runs[0] if state.running else state.first
    other = state.runs[1] if state.running == 2 else state.after[active] if state.running == 0 else state.first
    if other < 0:
        give(choice, active, machine.sms)
    else:
        give(choice, active, scenario.split if active == 0 else machine.sms - scenario.split)
        give(choice, other, scenario.split if other == 0 else machine.sms - scenario.split)
