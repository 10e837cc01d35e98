"""VirtPIM.Coarse: user-defined requests, ranks held from first to last PIM operation only (paper, Section 4.5)."""

from pipeline.studies.pim_ranks import virtual_pim

rule = virtual_pim.gang
NEEDS = ("stages",)
OVERHEAD = 0.0
COMPLEXITY = 3
