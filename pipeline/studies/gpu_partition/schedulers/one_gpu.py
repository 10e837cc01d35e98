"""The GPU unpartitioned: all tasks on all SMs, with the conflicts that this brings (paper, 1G)."""

from pipeline.studies.gpu_partition.rules import whole

rule = whole
COMPLEXITY = 1
