"""What a scheduler may know of a graph before it is traversed: shares that one pass over the edges gives."""

from __future__ import annotations

from typing import NamedTuple

from numba import njit

from pipeline.studies.pim_graph.model import Graph, block_of


class Facts(NamedTuple):
    """A graph on so many stacks, over the vertices that have out-edges.

    degree: mean out-degree; remote: share of the edges that leave their stack; exposed: share of the vertices with such
    an edge.
    """

    degree: float
    remote: float
    exposed: float


@njit(cache=True)
def _counts(graph: Graph, stacks: int):
    """Vertices with out-edges, edges that leave their stack, vertices with such an edge."""
    block = block_of(len(graph.first) - 1, stacks)
    active, remote, exposed = 0, 0, 0
    for v in range(len(graph.first) - 1):
        far = 0
        for e in range(graph.first[v], graph.first[v + 1]):
            far += graph.target[e] // block != v // block
        active += graph.first[v] < graph.first[v + 1]
        remote += far
        exposed += far > 0
    return active, remote, exposed


def measure(graph: Graph, stacks: int) -> Facts:
    """Facts of a graph; all 0 where it has no edges."""
    active, remote, exposed = _counts(graph, stacks)
    edges = len(graph.target)
    return Facts(edges / max(1, active), remote / max(1, edges), exposed / max(1, active))
