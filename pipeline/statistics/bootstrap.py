"""Block bootstrap: intervals of ratios of sums over blocks (spans of time, batches), paired where blocks are shared.

Measures of a queue are correlated over time, so whole spans are drawn, not jobs (Künsch 1989). Two schedulers replayed
the same spans, so both take the same draws, and what is common to them cancels out.
"""

from __future__ import annotations

import numpy as np
import scipy

from pipeline.statistics.streams import stream

RESAMPLES = 1000
FEWEST = 5
"""Blocks that an interval takes at least."""


def weights(blocks: int) -> np.ndarray:
    """How often each resample draws each block: float64 (RESAMPLES, blocks), each row sums to `blocks`.

    The same for every call, whatever the seed of a configuration: the same data give the same interval.
    """
    rng = stream(0, "block bootstrap", blocks)
    return rng.multinomial(blocks, np.full(blocks, 1 / blocks), size=RESAMPLES).astype(float)


def totals(drawn: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Sum of the drawn blocks for each resample and column: weights (n, blocks), values (blocks, columns)."""
    # Not `@`: a linear algebra library adds in an order that depends on its threads.
    return np.einsum("rb,bc->rc", drawn, values)


def interval(resampled: np.ndarray, blocks: int, confidence: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the interval of each column of `resampled` (resamples, columns).

    The percentile interval, expanded for few blocks: at levels that give Student's interval for a mean (Hesterberg
    2015, "What teachers should know about the bootstrap", Section 5.3). Columns with a resample that is not finite have
    no interval (nan).
    """
    level = scipy.special.ndtr(np.sqrt(blocks / (blocks - 1)) * scipy.special.stdtrit(blocks - 1, (1 - confidence) / 2))
    ends = np.full((2, resampled.shape[1]), np.nan)
    finite = np.isfinite(resampled).all(axis=0)
    if finite.any():
        ends[:, finite] = np.quantile(resampled[:, finite], [level, 1 - level], axis=0)
    return ends[0], ends[1]
