"""Resizes while the applications run, to the largest predicted throughput that slows none below cooperative."""

from pipeline.studies.gpu_sharing import rules
from pipeline.studies.gpu_sharing.families import dynamic

FAMILY = dynamic
rule = rules.max_fair_throughput
COMPLEXITY = 8
