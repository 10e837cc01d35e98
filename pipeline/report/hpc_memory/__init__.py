"""Figures of hpc_memory: disaggregated memory on an HPC machine (HiPC 2024)."""

from pipeline.report.hpc_memory import characteristics, dynamic, phased, replay, traces

THEMES = (phased, dynamic, traces, characteristics, replay)
"""Modules that hold the figures, in the order of the page."""
