"""Resizes while the applications run, to the largest predicted system throughput (thesis, Section 6.3.2)."""

from pipeline.studies.gpu_sharing import rules
from pipeline.studies.gpu_sharing.families import dynamic

FAMILY = dynamic
rule = rules.max_throughput
COMPLEXITY = 6
