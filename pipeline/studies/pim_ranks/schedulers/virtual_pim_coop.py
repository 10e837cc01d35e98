"""VirtPIM.Co-op: Fine for applications that it costs little more rank-time, else Coarse (paper, Section 4.5)."""

from pipeline.studies.pim_ranks import virtual_pim

rule = virtual_pim.cheaper
NEEDS = ("stages",)
OVERHEAD = 0.07
COMPLEXITY = 7
