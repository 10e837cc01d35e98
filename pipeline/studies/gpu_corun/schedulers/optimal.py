"""The least makespan of a pair: one after the other as under MPS or Slate, or the best split of the SMs.

Ours; the rule stands in docs/models/gpu_corun.md.
"""

SHARING = "searched"
OVERHEAD = ("communication", "injection")
TRANSFORMED = True
SIMPLICITY = 3
