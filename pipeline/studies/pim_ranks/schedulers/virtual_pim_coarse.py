"""VirtPIM.Coarse: user-defined requests, ranks held from first to last PIM operation only (paper, Section 4.5)."""

DISPATCH = "stages"
GRANT = "gang"
OVERHEAD = 0.0
SIMPLICITY = 3
