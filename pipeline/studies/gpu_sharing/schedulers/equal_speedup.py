"""The split with speed-ups over cooperative multitasking nearest to each other (thesis, Section 6.1)."""

from pipeline.studies.gpu_sharing import splits

FAMILY = splits
POLICY = "equal_speedup"
SIMPLICITY = 3
