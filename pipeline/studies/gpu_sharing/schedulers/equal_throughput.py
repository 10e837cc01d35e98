"""The split with throughputs nearest to each other (thesis, Section 6.1)."""

from pipeline.studies.gpu_sharing import splits

FAMILY = splits
POLICY = "equal_throughput"
SIMPLICITY = 2
