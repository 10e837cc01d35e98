"""Profiles of applications on a PIM machine: at which rank counts they are measured, and where a time comes from."""

from __future__ import annotations

MEASURED, INTERPOLATED, EXTRAPOLATED = "measured", "interpolated", "extrapolated"
SOURCES = (MEASURED, INTERPOLATED, EXTRAPOLATED)
"""Where a time of a table comes from."""


def profile_points(max_ranks: int, ratio: float = 0.2) -> list[int]:
    """Rank counts that are profiled (Algorithm 1, lines 1-3): every int(1/ratio)-th from 1, and `max_ranks`.

    Raises ValueError for less than one rank or a ratio outside (0, 1].
    """
    if max_ranks < 1:
        raise ValueError(f"max_ranks is {max_ranks}; a machine has at least 1 rank")
    if not 0 < ratio <= 1:
        raise ValueError(f"ratio is {ratio}; the share of rank counts that are profiled lies in (0, 1]")
    return [*range(1, max_ranks, int(1 / ratio)), max_ranks]
