"""Best fit: merges with the first partner that fits, by the load of the union (paper, Definition 4, BF)."""

from pipeline.studies.gpu_partition.rules import least_load

rule = least_load
OPTIONS = ("forbidden", "order", "search", "stop", "forbidden_scope")
COMPLEXITY = 2
