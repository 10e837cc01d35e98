"""Merges with the partner whose union needs the fewest SMs (paper, Definition 3, SMS)."""

from pipeline.studies.gpu_partition.rules import smallest_union

rule = smallest_union
OPTIONS = ("forbidden", "order", "search", "stop", "forbidden_scope")
COMPLEXITY = 3
