"""Time slicing: all kernels that are ready take turns on all SMs, at a loss for switching (IPDPS 2019, Section V-A)."""

from pipeline.studies.gpu_corun.rules import IN_TURNS, give, share

OPTIONS = ()
MOST_APPLICATIONS = None
OVERHEAD = ()
TRANSFORMED = False
COMPLEXITY = 0


@share
def rule(now_s, machine, scenario, apps, state, choice, notes):
    """All that are ready, in turns."""
    i = state.first
    while i >= 0:
        give(choice, i, IN_TURNS)
        i = state.after[i]
