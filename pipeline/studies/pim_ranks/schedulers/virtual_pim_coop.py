"""VirtPIM.Co-op: Fine for applications that it costs little more rank-time, else Coarse (paper, Section 4.5)."""

DISPATCH = "stages"
GRANT = "cheaper"
OVERHEAD = 0.07
SIMPLICITY = 7
