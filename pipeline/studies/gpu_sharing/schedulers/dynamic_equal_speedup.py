"""Resizes while the applications run, to speed-ups predicted nearest to each other (thesis, Section 6.3.2)."""

from pipeline.studies.gpu_sharing import rules
from pipeline.studies.gpu_sharing.families import dynamic

FAMILY = dynamic
rule = rules.equal_speedup
COMPLEXITY = 7
