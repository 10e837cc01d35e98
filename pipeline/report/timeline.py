"""Which nodes of a machine each job of a schedule is drawn on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SAME_INSTANT_S = 1e-6
"""Instants closer than this are one (model page, event loop)."""


def pack(start_s: NDArray, end_s: NDArray, nodes: NDArray, machine_nodes: int) -> list[list[tuple[int, int]]]:
    """Nodes of each job: half-open ranges [first, past), one range where there is room for it.

    Best fit: a job goes into the smallest range of free nodes that holds it, at the side where the neighbour ends at
    nearly the same time, which leaves fewer jobs in pieces than the lowest free nodes do. Without such a range it fills
    the largest ones.

    start_s, end_s (s), nodes: one entry per job, in the order of their starts; nodes are numbered from 0. Raises
    ValueError where jobs that run at once need more than `machine_nodes`.
    """
    free_from = np.full(machine_nodes, -np.inf)
    places = []
    for start, end, wanted in zip(start_s, end_s, nodes.tolist(), strict=True):
        ranges = _ranges(np.flatnonzero(free_from <= start + SAME_INSTANT_S))
        if sum(past - first for first, past in ranges) < wanted:
            raise ValueError(f"a job of {wanted} nodes starts at {start} s, when fewer of {machine_nodes} are free")
        holding = [r for r in ranges if r[1] - r[0] >= wanted]
        if holding:
            first, past = min(holding, key=lambda r: (r[1] - r[0], r[0]))
            below = abs(free_from[first - 1] - end) if first > 0 else 0.0
            above = abs(free_from[past] - end) if past < machine_nodes else 0.0
            taken = [(first, first + wanted) if below <= above else (past - wanted, past)]
        else:
            taken = _pieces(ranges, wanted)
        for first, past in taken:
            free_from[first:past] = end
        places.append(taken)
    return places


def _ranges(numbers: NDArray) -> list[tuple[int, int]]:
    """Half-open ranges of consecutive numbers."""
    if not len(numbers):
        return []
    breaks = np.flatnonzero(np.diff(numbers) > 1) + 1
    return [(int(run[0]), int(run[-1]) + 1) for run in np.split(numbers, breaks)]


def _pieces(ranges: list[tuple[int, int]], wanted: int) -> list[tuple[int, int]]:
    """Parts of the largest ranges that together are `wanted` nodes, by number."""
    taken = []
    for first, past in sorted(ranges, key=lambda r: (r[0] - r[1], r[0])):
        size = min(past - first, wanted)
        if size:
            taken.append((first, first + size))
        wanted -= size
    return sorted(taken)
