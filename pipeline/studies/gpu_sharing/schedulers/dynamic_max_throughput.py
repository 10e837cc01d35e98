"""Resizes while the applications run, to the largest predicted system throughput (thesis, Section 6.3.2)."""

from pipeline.studies.gpu_sharing.families import dynamic
from pipeline.studies.gpu_sharing.schedulers.max_throughput import rule  # noqa: F401 - the same, asked again

FAMILY = dynamic
COMPLEXITY = 6
