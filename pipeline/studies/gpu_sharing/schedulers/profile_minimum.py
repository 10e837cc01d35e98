"""The fewest SMs with which applications meet their QoS targets, of all allocations (thesis, Section 5.2)."""

from pipeline.studies.gpu_sharing import rules
from pipeline.studies.gpu_sharing.families import qos

FAMILY = qos
rule = rules.fewest
MIG = True
COMPLEXITY = 4
