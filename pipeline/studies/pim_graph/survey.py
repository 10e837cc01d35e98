"""What a graph is like before any machine traverses it: its core, and where the neighbours of each level lie."""

from __future__ import annotations

import numpy as np
import polars as pl
import scipy
from numba import njit

from pipeline.studies.pim_graph.model.graph import Graph, block_of

STACKS = 4
"""Stacks of Figures 18 and 24 of the thesis."""


def core(graph: Graph) -> np.ndarray:
    """Vertices of the largest strongly connected component, ascending; of several the one with the least vertex."""
    n = len(graph.first) - 1
    _, label = scipy.sparse.csgraph.connected_components(_matrix(graph), directed=True, connection="strong")
    sizes = np.bincount(label, minlength=1)
    least = np.full(len(sizes), n)
    np.minimum.at(least, label, np.arange(n))
    return np.flatnonzero(label == np.lexsort((least, -sizes))[0])


def depths(graph: Graph, root: int) -> np.ndarray:
    """Edges from the root to each vertex, int64[n]; -1 where there is no path."""
    distance = scipy.sparse.csgraph.dijkstra(_matrix(graph), indices=root, unweighted=True)
    return np.where(np.isinf(distance), -1, distance).astype(np.int64)


def neighbours(graph: Graph, depth: np.ndarray) -> pl.DataFrame:
    """Neighbours of the vertices of each level and stack: level, stack, neighbour_stack, neighbours."""
    counts = _counts(graph, depth, STACKS)
    level, stack, other = np.nonzero(counts)
    return pl.DataFrame(
        {"level": level, "stack": stack, "neighbour_stack": other, "neighbours": counts[level, stack, other]}
    )


def local_share(graph: Graph) -> float | None:
    """Share of the edges that stay on their stack; None without edges."""
    return _staying(graph, STACKS) / len(graph.target) if len(graph.target) else None


@njit(cache=True)
def _staying(graph: Graph, stacks: int) -> int:
    """Edges that stay on their stack."""
    block = block_of(len(graph.first) - 1, stacks)
    count = 0
    for v in range(len(graph.first) - 1):
        for e in range(graph.first[v], graph.first[v + 1]):
            count += graph.target[e] // block == v // block
    return count


@njit(cache=True)
def _counts(graph: Graph, depth, stacks: int):
    """int64[levels, stacks, stacks]: edges from vertices of a level on a stack to vertices on another."""
    block = block_of(len(depth), stacks)
    counts = np.zeros((depth.max() + 1, stacks, stacks), np.int64)
    for v in range(len(depth)):
        if depth[v] >= 0:
            for e in range(graph.first[v], graph.first[v + 1]):
                counts[depth[v], v // block, graph.target[e] // block] += 1
    return counts


def _matrix(graph: Graph) -> scipy.sparse.csr_array:
    n = len(graph.first) - 1
    return scipy.sparse.csr_array((np.ones(len(graph.target)), graph.target, graph.first), shape=(n, n))
