"""The split with throughputs nearest to each other (thesis, Section 6.1)."""

from pipeline.studies.gpu_sharing import rules
from pipeline.studies.gpu_sharing.families import splits

FAMILY = splits
rule = rules.equal_throughput
MIG = True
COMPLEXITY = 2
