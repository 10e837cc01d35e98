"""Equal SMs from the start: the dynamic form never moves one (thesis, Section 6.3.2)."""

from pipeline.studies.gpu_sharing.families import dynamic
from pipeline.studies.gpu_sharing.schedulers.equal_compute import rule  # noqa: F401 - the same, asked again

FAMILY = dynamic
COMPLEXITY = 5
