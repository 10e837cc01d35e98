"""The split with the largest sum of normalised curves, fast SMs to those that gain from them (thesis, Section 4.2)."""

from pipeline.studies.gpu_sharing import rules
from pipeline.studies.gpu_sharing.families import variation

FAMILY = variation
rule = rules.max_profile
COMPLEXITY = 3
