"""Time slicing: all kernels that are ready take turns on all SMs, at a loss for switching (IPDPS 2019, Section V-A)."""

from pipeline.studies.gpu_corun.rules import time_sliced as rule  # noqa: F401

OPTIONS = ()
MOST_APPLICATIONS = None
OVERHEAD = ()
TRANSFORMED = False
COMPLEXITY = 0
