"""Algorithm 1 of "PIM-CARE" (ICS 2025): where an application is profiled, its speed in between, its best ranks."""

from __future__ import annotations

from typing import Literal

import numpy as np

Interpolate = Literal["speed", "time"]

PERF_TOLERANCE = 1e-12
"""A perf this near the threshold is not above it: the comparison of Algorithm 1, line 13, is strict."""


def profile_points(max_ranks: int, ratio: float = 0.2) -> list[int]:
    """Rank counts that are profiled (Algorithm 1, lines 1-3): every int(1/ratio)-th from 1, and `max_ranks`.

    Raises ValueError for less than one rank or a ratio outside (0, 1].
    """
    if max_ranks < 1:
        raise ValueError(f"max_ranks is {max_ranks}; a machine has at least 1 rank")
    if not 0 < ratio <= 1:
        raise ValueError(f"ratio is {ratio}; the share of rank counts that are profiled lies in (0, 1]")
    return [*range(1, max_ranks, int(1 / ratio)), max_ranks]


def interpolated(
    points: np.ndarray, times: np.ndarray, max_ranks: int, interpolate: Interpolate = "speed"
) -> np.ndarray:
    """Times at 1..max_ranks of applications (rows of `times`, s) that are known at `points` (ascending, 1 and
    max_ranks among them): linear in the speed, or in the time.
    """
    ranks = np.arange(1, max_ranks + 1)
    points = np.asarray(points)
    values = 1 / times if interpolate == "speed" else times
    right = np.clip(np.searchsorted(points, ranks, side="left"), min(1, len(points) - 1), len(points) - 1)
    left = np.maximum(right - 1, 0)
    width = np.maximum(points[right] - points[left], 1)
    share = (ranks - points[left]) / width
    between = values[:, left] * (1 - share) + values[:, right] * share
    # Where a point was profiled its own time stands, not that of a round trip through the speed.
    at_point = np.isin(ranks, points)
    result = 1 / between if interpolate == "speed" else between
    result[:, at_point] = times[:, np.searchsorted(points, ranks[at_point])]
    return result


def perf(times: np.ndarray) -> np.ndarray:
    """Speeds as shares of the largest of each row (Algorithm 1, lines 10-11)."""
    return times.min(axis=1, keepdims=True) / times


def comparable(times: np.ndarray, threshold: float = 0.95) -> np.ndarray:
    """Whether each speed is above the threshold of the largest of its row (Algorithm 1, line 13)."""
    return perf(times) - threshold > PERF_TOLERANCE


def best_ranks(times: np.ndarray, threshold: float = 0.95, candidates: np.ndarray | None = None) -> np.ndarray:
    """Smallest of the candidate rank counts whose perf is above the threshold, for each row of times at 1..R.

    Where no candidate is (only possible where they are not all rank counts), the fastest of them.
    """
    shares = perf(times)
    above = comparable(times, threshold)
    if candidates is not None:
        shown = np.zeros(times.shape[1], dtype=bool)
        shown[np.asarray(candidates) - 1] = True
        above &= shown
        fastest = np.where(shown, shares, -1.0).argmax(axis=1)
        return np.where(above.any(axis=1), above.argmax(axis=1), fastest) + 1
    return above.argmax(axis=1) + 1


def require_threshold(threshold: float) -> None:
    """Raise ValueError for a threshold that no perf, or any, is above."""
    if not 0 < threshold < 1:
        raise ValueError(f"threshold is {threshold}; the share of the largest speed that suffices lies in (0, 1)")
