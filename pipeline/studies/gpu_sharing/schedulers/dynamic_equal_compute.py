"""Equal SMs from the start: the dynamic form never moves one (thesis, Section 6.3.2)."""

from pipeline.studies.gpu_sharing import dynamic

FAMILY = dynamic
POLICY = "equal_compute"
SIMPLICITY = 5
