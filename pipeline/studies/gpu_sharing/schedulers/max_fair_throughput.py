"""The largest system throughput that slows no application below cooperative multitasking (thesis, Section 6.1)."""

from pipeline.studies.gpu_sharing import rules
from pipeline.studies.gpu_sharing.families import splits

FAMILY = splits
rule = rules.max_fair_throughput
MIG = True
COMPLEXITY = 4
