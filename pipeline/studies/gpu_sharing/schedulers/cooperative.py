"""Each application has the whole GPU in turn, for an equal share of the time (thesis, Chapter 3)."""

from pipeline.studies.gpu_sharing.families import splits
from pipeline.studies.gpu_sharing.rules import split

FAMILY = splits
MIG = True
COMPLEXITY = 0


@split
def rule(mix, sms):
    """All SMs for each application, in turn (thesis, Chapter 3)."""
    sms[:] = mix.sms
