"""Stand-ins for the graphs of thesis chapter 7 (Table 7, Figure 18), at any scale: generated and seeded.

Vertices and edges are those of the graph times `scale`; degrees, locality of the numbering and depth are made alike.
The model page says how, and what that gives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pipeline.statistics.streams import stream

LARGEST_WEIGHT = 10
MILD = (0.45, 0.2, 0.2, 0.15)
STEEP = (0.5, 0.2, 0.2, 0.1)
"""Chances of the quadrants of an adjacency matrix (Chakrabarti et al., R-MAT, SDM 2004, Section 3)."""
MILD_BITS = 4
"""Highest bits of a vertex's number that are drawn by MILD: on up to 16 stacks its stack, so no stack holds most."""
BITS = 30
HIGHWAYS, HIGHWAY_STEPS = 0.04, 5
"""Share of the edges of `road` that lead over several steps of the lattice, and how many: they make it less deep."""
LINKS, NEAR, LEAST_NEAR, MOVED = 100, 1 / 1000, 4, 0.2
"""Of `amazon`: edges that lead anywhere, at any scale, since their number decides the depth; mean length of the others
over the number of vertices, and at least; and share of the vertices that are numbered out of place."""
WHISKER = 11
"""Of `pokec`: vertices of a path that hangs from the core. An R-MAT graph of its size has depth 5 to 7, the real one
14; such paths are what the depth of social networks comes from (Leskovec et al., WWW 2008, "whiskers")."""


@dataclass(frozen=True)
class StandIn:
    """A graph that is stood in for: its size, whether edges lead both ways, and how edges are drawn.

    draw: from (random stream, vertices, number of edges) to two int64 arrays, sources and targets, of about so many,
    self loops and repeated edges perhaps among them. far: share of the edges that lead far, where there are such, which
    `draw` then takes as well, for a number of edges. whisker: vertices at the end that are a path from vertex 0, there
    and back, beside the edges drawn.
    """

    vertices: int
    edges: int
    undirected: bool
    draw: Callable[..., tuple[np.ndarray, np.ndarray]]
    far: Callable[[int], float] | None = None
    whisker: int = 0


def vertices(name: str, scale: float) -> int:
    """Vertices of a stand-in."""
    return max(16, round(STAND_INS[name].vertices * scale))


def make(
    name: str, scale: float, seed: int, largest_weight: int = LARGEST_WEIGHT, far: float | None = None
) -> tuple[int, np.ndarray]:
    """A stand-in: number of vertices, and its edges as int64[edges, 3], columns source, target and weight.

    name: of STAND_INS; scale > 0; far: share of the edges that lead far, None = as usual. Edges are sorted by source
    and target and distinct, without self loops, exactly as many as the graph's edges times the scale, rounded; an
    undirected one stands there both ways with one weight.
    Weights are uniform from 1 to largest_weight. Raises ValueError for an unknown name or values out of range.
    """
    if name not in STAND_INS:
        raise ValueError(f"unknown stand-in {name!r}; known: {', '.join(STAND_INS)}")
    if not scale > 0 or largest_weight < 1:
        raise ValueError(f"scale is {scale} and largest_weight {largest_weight}; they must be > 0 and >= 1")
    graph = STAND_INS[name]
    if far is not None and (graph.far is None or not 0 < far < 1):
        raise ValueError(f"far is {far}; road and amazon have a share of edges that lead far, between 0 and 1")
    n, m = vertices(name, scale), max(16 + 2 * graph.whisker, round(graph.edges * scale))
    shares = () if graph.far is None else (far or graph.far(m),)
    random = stream(seed, "stand-in graph", name, n)
    path = np.concatenate([[0], np.arange(n - graph.whisker, n)])[: graph.whisker + 1]
    keys = np.unique(np.concatenate([path[:-1] * n + path[1:], path[1:] * n + path[:-1]]))
    missing, hung = m - len(keys), len(keys)
    while missing > 0:
        source, target = graph.draw(random, n - graph.whisker, missing + missing // 8 + 16, *shares)
        if graph.undirected:
            source, target = np.minimum(source, target), np.maximum(source, target)
        apart = source != target
        distinct = np.unique(np.concatenate([keys, (source * n + target)[apart]]))
        if len(distinct) == len(keys) > hung:
            raise ValueError(f"stand-in {name} at scale {scale:g} has no {m} distinct edges; take a larger scale")
        keys, missing = distinct, m - len(distinct)
    if missing:
        drawn = np.flatnonzero(np.maximum(*np.divmod(keys, n)) < n - graph.whisker)
        keys = np.delete(keys, drawn[random.choice(len(drawn), -missing, replace=False)])
    weight = random.integers(1, largest_weight + 1, m)
    source, target = np.divmod(keys, n)
    if graph.undirected:
        source, target = np.concatenate([source, target]), np.concatenate([target, source])
        weight = np.concatenate([weight, weight])
        order = np.argsort(source * n + target, kind="stable")
        source, target, weight = source[order], target[order], weight[order]
    return n, np.column_stack([source, target, weight])


def _lattice(random: np.random.Generator, n: int, m: int, far: float) -> tuple[np.ndarray, np.ndarray]:
    """Edges of a square lattice in row order, from vertices to their neighbours on the right and below, diagonals too.

    A few are longer, as highways are.
    """
    side = int(np.ceil(np.sqrt(n)))
    source = random.integers(0, n, m)
    step = random.integers(0, 4, m)
    length = np.where(random.random(m) < far, HIGHWAY_STEPS, 1)
    column = source % side
    across = np.array([1, 1, 0, -1])[step] * length
    target = source + np.array([0, side, side, side])[step] * length + across
    inside = (column + across >= 0) & (column + across < side) & (target < n)
    return source[inside], target[inside]


def _ring(random: np.random.Generator, n: int, m: int, far: float) -> tuple[np.ndarray, np.ndarray]:
    """Edges of a small world: a few lead anywhere, others to near places of a ring, some of them numbered far away."""
    places = np.arange(n)
    # The numbering is a property of the graph, the same whenever further edges are drawn.
    order = np.random.default_rng(n)
    moved = order.normal(0, n / 4, n) * (order.random(n) < MOVED)
    number = np.empty(n, np.int64)
    number[np.argsort(places + moved, kind="stable")] = places
    offset = np.ceil(random.exponential(max(n * NEAR, LEAST_NEAR), m)).astype(np.int64) * random.choice([-1, 1], m)
    source = random.integers(0, n, m)
    target = np.where(random.random(m) < far, random.integers(0, n, m), (source + offset) % n)
    return number[source], number[target]


def _r_mat(random: np.random.Generator, n: int, m: int, mild_bits: int = MILD_BITS) -> tuple[np.ndarray, np.ndarray]:
    """Edges of an R-MAT graph over any number of vertices: bits are drawn for places in [0, 1), from the highest."""
    source, target = np.zeros(m), np.zeros(m)
    for bit in range(BITS):
        a, b, c, _ = MILD if bit < mild_bits else STEEP
        drawn = random.random(m)
        source += (drawn >= a + b) * 0.5 ** (bit + 1)
        target += (((drawn >= a) & (drawn < a + b)) | (drawn >= a + b + c)) * 0.5 ** (bit + 1)
    return (source * n).astype(np.int64), (target * n).astype(np.int64)


def _scattered(random: np.random.Generator, n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Edges of an R-MAT graph whose vertices are numbered at random."""
    source, target = _r_mat(random, n, m, mild_bits=0)
    number = np.random.default_rng(n).permutation(n)
    return number[source], number[target]


STAND_INS = {
    "road": StandIn(1_379_917, 1_921_660, True, _lattice, lambda _: HIGHWAYS),
    "amazon": StandIn(403_394, 3_387_388, False, _ring, lambda m: LINKS / m),
    "pokec": StandIn(1_632_803, 30_622_564, False, _r_mat, whisker=WHISKER),
    "google": StandIn(875_713, 5_105_039, False, _scattered),
}
"""Roads of Texas, products bought together at Amazon, the social network Pokec, web pages of Google."""
