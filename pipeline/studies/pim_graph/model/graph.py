"""A graph in memory, and which stack a vertex lies with."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit


class Graph(NamedTuple):
    """Directed graph as compressed sparse rows: first int64[n + 1], target int32[m] (ascending in a row), weight[m].

    The dtype of weight, int32 or int64, holds every distance and one number more: that of vertices not reached.
    most: the largest out-degree.
    """

    first: np.ndarray
    target: np.ndarray
    weight: np.ndarray
    most: int


def graph_of(first: np.ndarray, target: np.ndarray, weight: np.ndarray) -> Graph:
    """A graph from compressed rows of any integers, in the smallest types: most of a traversal waits for memory.

    Raises ValueError for more than 2^31 - 1 vertices.
    """
    n, most = len(first) - 1, np.iinfo(np.int32).max
    if n > most:
        raise ValueError(f"the graph has {n} vertices; at most {most} can be traversed")
    fits = n * int(weight.max(initial=1)) < most
    return Graph(
        first.astype(np.int64),
        target.astype(np.int32),
        weight.astype(np.int32 if fits else np.int64),
        int(np.diff(first).max(initial=0)),
    )


@njit(cache=True)
def unreached(state) -> int:
    """What stands in the states (distances) for a vertex that is not reached: more than any distance."""
    return np.iinfo(state.dtype).max


@njit(cache=True)
def block_of(vertices: int, stacks: int) -> int:
    """Vertices a stack."""
    return max(1, (vertices + stacks - 1) // stacks)


@njit(cache=True)
def division(block: int):
    """(factor, shift) with v // block == (v * factor) >> shift for 0 <= v < 2^31 and 1 <= block < 2^31.

    Granlund and Montgomery, Division by invariant integers using multiplication, PLDI 1994, Theorem 4.2.
    """
    bits = 0
    while (1 << bits) < block:
        bits += 1
    shift = 31 + bits
    return ((1 << shift) + block - 1) // block, shift
