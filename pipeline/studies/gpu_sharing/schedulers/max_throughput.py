"""The largest system throughput, whatever it does to an application (thesis, Section 6.2)."""

from pipeline.studies.gpu_sharing import splits

FAMILY = splits
POLICY = "max_throughput"
SIMPLICITY = 2
