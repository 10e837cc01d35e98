"""Each application has the whole GPU in turn, for an equal share of the time (thesis, Chapter 3)."""

from pipeline.studies.gpu_sharing import rules
from pipeline.studies.gpu_sharing.families import splits

FAMILY = splits
rule = rules.cooperative
MIG = True
COMPLEXITY = 0
