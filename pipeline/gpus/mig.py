"""Slices of NVIDIA's Multi-Instance GPU as an A100 has them, and which fit beside each other (MIG User Guide)."""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np

MIG_SLICES = (1, 2, 3, 4, 7)
MIG_PARTS = 7
MIG_TAKES = np.array([999, 1999, 3001, 3999, 7000])
MIG_OFFERS = 7000
"""What each slice takes of an A100, and what there is to take, in thousandths of a seventh.

Three sevenths come with four of its eight slices of memory, more than their share, which is why 3 + 3 + 1 are not to be
had; all other slices are that make seven sevenths or fewer. A seventh more or less than these sums counts 1000.
"""


@cache
def whole_layouts() -> tuple[tuple[int, ...], ...]:
    """How often each of MIG_SLICES is there in each layout of one GPU to which no slice can be added."""
    fitting = set()
    for n in range(1, MIG_PARTS + 1):
        for kinds in combinations_with_replacement(range(len(MIG_SLICES)), n):
            if MIG_TAKES[list(kinds)].sum() <= MIG_OFFERS:
                fitting.add(tuple(kinds.count(kind) for kind in range(len(MIG_SLICES))))
    more = [tuple(int(kind == i) for i in range(len(MIG_SLICES))) for kind in range(len(MIG_SLICES))]
    return tuple(
        sorted(
            one for one in fitting if not any(tuple(map(sum, zip(one, add, strict=True))) in fitting for add in more)
        )
    )


@cache
def layouts(applications: int) -> np.ndarray:
    """Sevenths of the GPU of each application, one row per layout, in lexicographic order; shape (layouts, k)."""
    takes = dict(zip(MIG_SLICES, MIG_TAKES, strict=True))
    fitting = [
        each
        for each in product(MIG_SLICES, repeat=applications if applications <= MIG_PARTS else 0)
        if each and sum(takes[size] for size in each) <= MIG_OFFERS
    ]
    return np.array(fitting, np.int64).reshape(len(fitting), applications)


def measured(layout: np.ndarray, throughput: np.ndarray) -> np.ndarray:
    """Which layouts have only slices that are measured: throughput is NaN for others, shape (k, 8)."""
    return ~np.isnan(throughput[np.arange(layout.shape[1]), layout]).any(axis=1)
