"""Figures of gpu_sharing: the streaming multiprocessors of a GPU among applications (thesis, Chapters 3 to 6)."""

from __future__ import annotations

from pipeline.report import gpu_fairness, gpu_qos, gpu_splits, gpu_variation

THEMES = (gpu_splits, gpu_fairness, gpu_qos, gpu_variation)
