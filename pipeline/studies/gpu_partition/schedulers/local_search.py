"""SMS, then tasks are moved and exchanged between partitions while that needs fewer SMs (ours)."""

from pipeline.studies.gpu_partition.rules import mended

rule = mended
OPTIONS = ("forbidden", "order", "search", "stop", "forbidden_scope")
COMPLEXITY = 4
