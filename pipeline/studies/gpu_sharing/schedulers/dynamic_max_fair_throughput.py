"""Resizes while the applications run, to the largest predicted throughput that slows none below cooperative."""

from pipeline.studies.gpu_sharing import dynamic

FAMILY = dynamic
POLICY = "max_fair_throughput"
SIMPLICITY = 8
