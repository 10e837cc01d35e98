"""Figures of pim_ranks: sharing the ranks of a PIM machine (PIM-CARE, ICS 2025)."""

from pipeline.studies.pim_ranks.figures import overhead, performance, speed, timelines, virtual

THEMES = (performance, speed, timelines, overhead, virtual)
"""Modules that hold the figures, in the order of the page."""
