"""As many SMs for each application; the remainder goes one each to the last (thesis, Section 6.1)."""

from pipeline.studies.gpu_sharing import splits

FAMILY = splits
POLICY = "equal_compute"
SIMPLICITY = 1
