"""As many SMs for each application, fast ones to those that gain from them (thesis, Section 4.2)."""

from pipeline.studies.gpu_sharing import rules
from pipeline.studies.gpu_sharing.families import variation

FAMILY = variation
rule = rules.equal_compute
COMPLEXITY = 1
