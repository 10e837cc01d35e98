"""The largest system throughput, whatever it does to an application (thesis, Section 6.2)."""

from pipeline.studies.gpu_sharing import rules
from pipeline.studies.gpu_sharing.families import splits

FAMILY = splits
rule = rules.max_throughput
MIG = True
COMPLEXITY = 2
