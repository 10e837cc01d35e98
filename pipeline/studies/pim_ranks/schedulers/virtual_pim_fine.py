"""VirtPIM.Fine: one rank's slice of one kernel stage at a time, first inputs sent again (paper, Section 4.5)."""

DISPATCH = "stages"
GRANT = "units"
OVERHEAD = 0.07
SIMPLICITY = 6
