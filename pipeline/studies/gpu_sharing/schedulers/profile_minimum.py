"""The fewest SMs with which applications meet their QoS targets, of all allocations (thesis, Section 5.2)."""

from pipeline.studies.gpu_sharing.families import qos
from pipeline.studies.gpu_sharing.model.qos import fewest
from pipeline.studies.gpu_sharing.rules import gives_fewest, split

FAMILY = qos
MIG = True
COMPLEXITY = 4


@gives_fewest
@split
def rule(mix, sms):
    """The least sum of SMs of all allocations that meet the targets; where none does, what comes nearest."""
    fewest(mix, sms)
