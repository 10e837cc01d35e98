"""As many SMs for each application, fast ones to those that gain from them (thesis, Section 4.2)."""

from pipeline.studies.gpu_sharing.families import variation
from pipeline.studies.gpu_sharing.schedulers.equal_compute import rule  # noqa: F401 - the same

FAMILY = variation
COMPLEXITY = 1
