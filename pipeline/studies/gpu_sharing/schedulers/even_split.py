"""As many SMs for each application, fast ones to those that gain from them (thesis, Section 4.2)."""

from pipeline.studies.gpu_sharing import process_variation

FAMILY = process_variation
SPLIT = "even"
SIMPLICITY = 1
