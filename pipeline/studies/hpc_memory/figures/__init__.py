"""Figures of hpc_memory: disaggregated memory on an HPC machine (HiPC 2024)."""

from pipeline.studies.hpc_memory.figures import capacity, characteristics, dynamic, explore, fidelity, phased, waiting

THEMES = (explore, capacity, waiting, fidelity, characteristics, phased, dynamic)
"""Modules that hold the figures, in the order of the page."""
