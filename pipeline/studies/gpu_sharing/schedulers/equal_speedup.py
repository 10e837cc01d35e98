"""The split with speed-ups over cooperative multitasking nearest to each other (thesis, Section 6.1)."""

from pipeline.studies.gpu_sharing import rules
from pipeline.studies.gpu_sharing.families import splits

FAMILY = splits
rule = rules.equal_speedup
MIG = True
COMPLEXITY = 3
