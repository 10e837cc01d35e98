"""SM-Opt (FCFS): best ranks each, side by side in queue order; a blocked head blocks (paper, Section 4.1)."""

DISPATCH = "in_order"
GRANT = "best"
OVERHEAD = 0.055
SIMPLICITY = 2
