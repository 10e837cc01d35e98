"""As many SMs for each application; the remainder goes one each to the last (thesis, Section 6.1)."""

from pipeline.studies.gpu_sharing import rules
from pipeline.studies.gpu_sharing.families import splits

FAMILY = splits
rule = rules.equal_compute
MIG = True
COMPLEXITY = 1
