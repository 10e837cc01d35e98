"""Figures of hpc_memory: disaggregated memory on an HPC machine (HiPC 2024)."""

from pipeline.studies.hpc_memory.figures import capacity, characteristics, dynamic, phased, replay, traces

THEMES = (phased, dynamic, traces, characteristics, replay, capacity)
"""Modules that hold the figures, in the order of the page."""
