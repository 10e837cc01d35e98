"""VirtPIM.Fine: one rank's slice of one kernel stage at a time, first inputs sent again (paper, Section 4.5)."""

from pipeline.studies.pim_ranks import virtual_pim

rule = virtual_pim.units
NEEDS = ("stages",)
OVERHEAD = 0.07
COMPLEXITY = 6
