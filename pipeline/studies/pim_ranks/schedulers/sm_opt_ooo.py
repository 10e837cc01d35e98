"""SM-Opt (OoO): best ranks each, the first of the queue that fits (paper, Section 4.1)."""

DISPATCH = "first_fit"
GRANT = "best"
OVERHEAD = 0.06
SIMPLICITY = 3
