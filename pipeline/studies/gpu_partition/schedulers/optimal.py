"""The partitions that need the fewest SMs of all, of up to 12 tasks; of more a lower bound on the SMs (ours)."""

from pipeline.studies.gpu_partition.rules import fewest

rule = fewest
EXACT_UP_TO = 12
COMPLEXITY = 5
