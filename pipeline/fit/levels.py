"""Weighted values gathered piece by piece in bounded memory: what a law needs of millions of values."""

from __future__ import annotations

import numpy as np

MOST = 1 << 19
"""Distinct values that are kept. With more, neighbours share a level: less than 4e-5 apart in relation to their size,
where the values spread over a factor of a thousand."""

MERGED_AT_A_TIME = 1 << 18


class Levels:
    """Distinct values in increasing order with the weights at each, one column of weights a weighting.

    At most `most` levels: beyond, values that agree in the leading bits of their significand are one level, which
    stands at the largest of them. So the share at a level is always exactly that of the values up to it, and the levels
    are the same whatever the order and the pieces in which the values came (as many bits are kept as fit).
    """

    def __init__(self, weightings: int = 1, most: int = MOST):
        self.count = 0
        """Values, each as often as it came."""
        self._most = most
        self._at = np.empty(0)
        self._weight = np.empty((weightings, 0))
        self._dropped_bits = 0
        self._waiting: list[tuple[np.ndarray, ...]] = []
        self._waiting_count = 0

    def add(self, values: np.ndarray, *weights: np.ndarray) -> None:
        """Add values (>= 0) with their weights in each weighting; all 1 where none is given."""
        self.count += values.size
        # Of numbers that are not negative, the bits are in the order of the numbers; -0.0 has the sign bit set.
        self._waiting.append((values + 0.0, *(weights or (np.ones(values.size),))))
        self._waiting_count += values.size
        if self._waiting_count >= MERGED_AT_A_TIME:
            self._merge()

    @property
    def at(self) -> np.ndarray:
        """The levels, increasing."""
        self._merge()
        return self._at

    @property
    def weight(self) -> np.ndarray:
        """Weight at each level (weightings x levels)."""
        self._merge()
        return self._weight

    def _merge(self) -> None:
        if not self._waiting:
            return
        values, *weights = (np.concatenate(columns) for columns in zip(*self._waiting, strict=True))
        self._waiting, self._waiting_count = [], 0
        known, new = self._cells(self._at), self._cells(values)
        cells = np.union1d(known, new)
        at, weight = np.zeros(cells.size), np.zeros((len(self._weight), cells.size))
        old = np.searchsorted(cells, known)
        at[old], weight[:, old] = self._at, self._weight
        cell = np.searchsorted(cells, new)
        np.maximum.at(at, cell, values)
        # One after the other: the sums do not depend on how the values are cut into pieces.
        for total, added in zip(weight, weights, strict=True):
            np.add.at(total, cell, added)
        self._at, self._weight = at, weight
        while self._at.size > self._most:
            self._coarsen()

    def _cells(self, values: np.ndarray) -> np.ndarray:
        return values.view(np.int64) >> self._dropped_bits

    def _coarsen(self) -> None:
        self._dropped_bits += 1
        first = np.flatnonzero(np.diff(self._cells(self._at), prepend=-1))
        self._at = np.maximum.reduceat(self._at, first)
        self._weight = np.add.reduceat(self._weight, first, axis=1)
