"""Each application has the whole GPU in turn, for an equal share of the time (thesis, Chapter 3)."""

from pipeline.studies.gpu_sharing import splits

FAMILY = splits
POLICY = "cooperative"
SIMPLICITY = 0
