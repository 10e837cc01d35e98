"""Equal SMs from the start: the dynamic form never moves one (thesis, Section 6.3.2)."""

from pipeline.studies.gpu_sharing import rules
from pipeline.studies.gpu_sharing.families import dynamic

FAMILY = dynamic
rule = rules.equal_compute
COMPLEXITY = 5
