"""The least makespan of a pair: one after the other as under MPS or Slate, or the best split of the SMs.

Ours; the rule stands in docs/models/gpu_corun.md.
"""

from pipeline.studies.gpu_corun.rules import searched as rule  # noqa: F401

OPTIONS = ("task_size",)
MOST_APPLICATIONS = 2
OVERHEAD = ("communication", "injection")
TRANSFORMED = True
COMPLEXITY = 3
