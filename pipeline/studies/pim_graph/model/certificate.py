"""Proofs that a replay's values are right, by conditions on edges; nothing here traverses the graph."""

from __future__ import annotations

import numpy as np
from numba import njit

from pipeline.studies.pim_graph.model.graph import Graph, unreached

TOLERANCE = 1e-9
"""Of sums of BC, relative: they are added up in another order."""


@njit(cache=True)
def wrong_distance(graph: Graph, weighted: bool, root: int, distance) -> int:
    """A vertex whose distance (weight's dtype [n]) is not that from the root; -1 where all are proved.

    The root has 0, no edge from a reached vertex shortens the distance at its end, and every other reached vertex has
    an edge that gives it its distance. Weights being positive, those edges lead back to the root.
    """
    if distance[root] != 0:
        return root
    met = np.zeros(len(distance), np.bool_)
    met[root] = True
    none = unreached(distance)
    first, target, weight = graph.first, graph.target, graph.weight
    for v in range(len(distance)):
        if distance[v] == none:
            continue
        for e in range(first[v], first[v + 1]):
            over = distance[v] + (weight[e] if weighted else 1)
            w = target[e]
            if distance[w] > over:
                return w
            if distance[w] == over:
                met[w] = True
    for v in range(len(distance)):
        if distance[v] != none and not met[v]:
            return v
    return -1


@njit(cache=True)
def wrong_dependency(graph: Graph, root: int, distance, sigma, delta) -> int:
    """A vertex whose number of shortest paths or dependency is not what its definition says; -1 where all are right.

    distance: proved by `wrong_distance`; sigma, delta: float64[n]. sigma is the sum of sigma over predecessors, 1 at
    the root; delta the sum over successors w of sigma(v) / sigma(w) (1 + delta(w)).
    """
    paths = np.zeros(len(distance))
    paths[root] = 1.0
    first, target = graph.first, graph.target
    none = unreached(distance)
    for v in range(len(distance)):
        if distance[v] == none:
            continue
        through = 0.0
        for e in range(first[v], first[v + 1]):
            w = target[e]
            if distance[w] == distance[v] + 1:
                paths[w] += sigma[v]
                through += (1.0 + delta[w]) / sigma[w]
        if not abs(delta[v] - sigma[v] * through) <= TOLERANCE * (1.0 + abs(delta[v])):
            return v
    for v in range(len(distance)):
        if distance[v] != none and not abs(paths[v] - sigma[v]) <= TOLERANCE * sigma[v]:
            return v
    return -1


@njit(cache=True)
def another_distance(distance, proved) -> int:
    """A vertex whose distance is not the proved one; -1 where all are."""
    for v in range(len(distance)):
        if distance[v] != proved[v]:
            return v
    return -1


@njit(cache=True)
def another_dependency(sigma, proved_sigma, delta, proved_delta) -> int:
    """A vertex whose number of paths or dependency is not the proved one, but for rounding; -1 where none is."""
    for v in range(len(sigma)):
        if not abs(sigma[v] - proved_sigma[v]) <= TOLERANCE * proved_sigma[v]:
            return v
        if not abs(delta[v] - proved_delta[v]) <= TOLERANCE * (1.0 + proved_delta[v]):
            return v
    return -1
