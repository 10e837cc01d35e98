"""Figures of hpc_memory: disaggregated memory on an HPC machine (HiPC 2024)."""

from pipeline.studies.hpc_memory.figures import (
    backfilling,
    capacity,
    characteristics,
    dynamic,
    explore,
    fidelity,
    known,
    phased,
    replay,
    traces,
    waiting,
)

THEMES = (explore, capacity, waiting, traces, fidelity, characteristics, phased, dynamic, known, backfilling, replay)
"""Modules that hold the figures, in the order of the page."""
