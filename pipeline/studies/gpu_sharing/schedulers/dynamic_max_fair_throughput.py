"""Resizes while the applications run, to the largest predicted throughput that slows none below cooperative."""

from pipeline.studies.gpu_sharing.families import dynamic
from pipeline.studies.gpu_sharing.schedulers.max_fair_throughput import rule  # noqa: F401 - the same, asked again

FAMILY = dynamic
COMPLEXITY = 8
