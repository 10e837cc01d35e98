"""Time slicing: all kernels that are ready take turns on all SMs, at a loss for switching (IPDPS 2019, Section V-A)."""

SHARING = "time_sliced"
OVERHEAD = ()
TRANSFORMED = False
SIMPLICITY = 0
