"""The largest system throughput that slows no application below cooperative multitasking (thesis, Section 6.1)."""

from pipeline.studies.gpu_sharing import splits

FAMILY = splits
POLICY = "max_fair_throughput"
SIMPLICITY = 4
