"""NVIDIA's Multi-Process Service: the leftover policy, which runs large grids one after the other (Section V-A)."""

from pipeline.studies.gpu_corun.rules import give, share

OPTIONS = ()
MOST_APPLICATIONS = None
OVERHEAD = ("mps_overhead",)
TRANSFORMED = False
COMPLEXITY = 1


@share
def rule(now_s, machine, scenario, apps, state, choice, notes):
    """One after the other, in queue order."""
    if state.running == 0:
        give(choice, state.first, machine.sms)
