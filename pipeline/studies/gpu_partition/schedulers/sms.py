"""Merges with the partner whose union needs the fewest SMs (paper, Definition 3, SMS)."""

from pipeline.studies.gpu_partition.rules import allocate
from pipeline.studies.gpu_partition.schedulers._merging import merge

OPTIONS = ("forbidden", "order", "search", "stop", "forbidden_scope")
COMPLEXITY = 3


@allocate
def rule(tasks, gpu, options, allocation):
    """Merging, with the partner whose union needs the fewest SMs (>>, Definition 3)."""
    merge(tasks, gpu, options, allocation, False)
