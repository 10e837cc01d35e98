"""SE-Full: one job at a time on all ranks, the baseline of the ratios (paper, Section 4.1)."""

DISPATCH = "alone"
GRANT = "machine"
OVERHEAD = 0.0
SIMPLICITY = 0
