"""Resizes while the applications run, to the largest predicted system throughput (thesis, Section 6.3.2)."""

from pipeline.studies.gpu_sharing import dynamic

FAMILY = dynamic
POLICY = "max_throughput"
SIMPLICITY = 6
