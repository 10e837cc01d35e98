"""Slices of NVIDIA's Multi-Instance GPU that applications can have side by side."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np

from pipeline.gpus.mig import MIG_OFFERS, MIG_PARTS, MIG_SLICES, MIG_TAKES


@cache
def layouts(applications: int) -> np.ndarray:
    """Sevenths of the GPU of each application, one row per layout, in lexicographic order; shape (layouts, k)."""
    takes = dict(zip(MIG_SLICES, MIG_TAKES, strict=True))
    fitting = [
        each
        for each in itertools.product(MIG_SLICES, repeat=applications if applications <= MIG_PARTS else 0)
        if each and sum(takes[size] for size in each) <= MIG_OFFERS
    ]
    return np.array(fitting, np.int64).reshape(len(fitting), applications)


def measured(layout: np.ndarray, throughput: np.ndarray) -> np.ndarray:
    """Which layouts have only slices that are measured: throughput is NaN for others, shape (k, 8)."""
    return ~np.isnan(throughput[np.arange(layout.shape[1]), layout]).any(axis=1)
