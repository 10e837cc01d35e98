"""SE-Opt: one job at a time on its best number of ranks (paper, Section 4.1)."""

DISPATCH = "alone"
GRANT = "best"
OVERHEAD = 0.0
SIMPLICITY = 1
