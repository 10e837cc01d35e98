"""Best fit: merges with the first partner that fits, by the load of the union (paper, Definition 4, BF)."""

from pipeline.studies.gpu_partition.rules import allocate
from pipeline.studies.gpu_partition.schedulers._merging import merge

OPTIONS = ("forbidden", "order", "search", "stop", "forbidden_scope")
COMPLEXITY = 2


@allocate
def rule(tasks, gpu, options, allocation):
    """Merging, with the first partner that fits by the load of the union (>, Definition 4)."""
    merge(tasks, gpu, options, allocation, True)
