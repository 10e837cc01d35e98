"""The words of `knowledge`, what a scheduler knows of a job's memory before it runs, and bins of memory.

docs/models/hpc_memory.md says what each word means; `knowledge.py` makes the profiles.
"""

from __future__ import annotations

import numpy as np

OWN, GIVEN, HISTORY, TRACE, BINS = "own", "given", "history", "trace", "bins"
KNOWN = (OWN, GIVEN, HISTORY, TRACE, BINS)
SMALLEST_BIN_GB = 8.0
"""Width of the first of the paper's bins (Section III-D): 0-8, 8-16, 16-32, 32-64, 64-128 GB; above, they go on."""
TIE = 1e-9
"""A memory above an edge by no more than this part of a bin lies in the bin below."""


def width_of(word: str) -> float | None:
    """Width (GB) of uniform bins, of `bins:<width>`; None: another word, or the paper's bins.

    Raises ValueError for a word that is none of `knowledge`.
    """
    name, colon, width = word.partition(":")
    if name == BINS and colon:
        try:
            if 0 < float(width) < np.inf:
                return float(width)
        except ValueError:
            pass
        raise ValueError(f"knowledge {word!r}: the width of the bins must be a number of GB above 0, as in bins:50")
    if word not in KNOWN:
        raise ValueError(f"unknown knowledge {word!r}; known: {', '.join(KNOWN)}, bins:<width in GB>")
    return None


def upper_edge(memory_gb: np.ndarray, width_gb: float | None) -> np.ndarray:
    """Upper edge of the bin of each memory (GB, float64); None: the paper's bins, each above twice as wide.

    No memory is in no bin, and stays 0.
    """
    if width_gb is not None:
        return np.ceil(memory_gb / width_gb - TIE) * width_gb
    part, exponent = np.frexp(memory_gb / SMALLEST_BIN_GB)
    doubled = np.maximum(exponent - (part <= 0.5 * (1 + TIE)), 0)
    return np.where(memory_gb > 0, SMALLEST_BIN_GB * np.exp2(doubled), 0.0)
