"""NVIDIA's Multi-Process Service: the leftover policy, which runs large grids one after the other (Section V-A)."""

from pipeline.studies.gpu_corun.rules import leftover as rule  # noqa: F401

OPTIONS = ()
MOST_APPLICATIONS = None
OVERHEAD = ("mps_overhead",)
TRANSFORMED = False
COMPLEXITY = 1
