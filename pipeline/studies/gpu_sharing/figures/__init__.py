"""Figures of gpu_sharing: the streaming multiprocessors of a GPU among applications (thesis, Chapters 3 to 6)."""

from pipeline.studies.gpu_sharing.figures import card, fairness, qos, splits, variation

THEMES = (card, splits, fairness, qos, variation)
"""Modules that hold the figures, in the order of the page."""
