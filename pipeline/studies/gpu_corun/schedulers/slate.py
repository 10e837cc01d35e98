"""Slate: kernels of complementary intensity run side by side on SMs of their own, the others alone (Section III)."""

from pipeline.studies.gpu_corun.rules import complementary as rule  # noqa: F401

OPTIONS = ("split", "symmetry", "task_size")
MOST_APPLICATIONS = None
OVERHEAD = ("communication", "injection")
TRANSFORMED = True
COMPLEXITY = 2
