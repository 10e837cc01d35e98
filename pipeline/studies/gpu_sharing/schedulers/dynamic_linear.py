"""Rounds of measuring QoS applications and resizing them by a line through the origin (thesis, Section 5.4)."""

from pipeline.studies.gpu_sharing import rules
from pipeline.studies.gpu_sharing.families import qos_rounds

FAMILY = qos_rounds
rule = rules.linear
COMPLEXITY = 5
