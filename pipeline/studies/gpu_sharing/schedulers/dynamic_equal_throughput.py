"""Resizes while the applications run, to throughputs predicted nearest to each other (thesis, Section 6.3.2)."""

from pipeline.studies.gpu_sharing.families import dynamic
from pipeline.studies.gpu_sharing.schedulers.equal_throughput import rule  # noqa: F401 - the same, asked again

FAMILY = dynamic
COMPLEXITY = 6
