"""NVIDIA's Multi-Process Service: the leftover policy, which runs large grids one after the other (Section V-A)."""

SHARING = "leftover"
OVERHEAD = ("mps_overhead",)
TRANSFORMED = False
SIMPLICITY = 1
