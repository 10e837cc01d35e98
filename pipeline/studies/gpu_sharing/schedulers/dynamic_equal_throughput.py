"""Resizes while the applications run, to throughputs predicted nearest to each other (thesis, Section 6.3.2)."""

from pipeline.studies.gpu_sharing import dynamic

FAMILY = dynamic
POLICY = "equal_throughput"
SIMPLICITY = 6
