"""PIM-CARE: carried priorities over a window, leftover ranks are granted (paper, Section 3.3, Algorithm 2)."""

DISPATCH = "priorities"
GRANT = "leftover"
OVERHEAD = 0.06
SIMPLICITY = 4
