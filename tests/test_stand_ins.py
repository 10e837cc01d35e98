"""Stand-ins have the size, degree, depth and locality that docs/models/pim_graph.md states."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, dijkstra

from pipeline.statistics import stand_ins

SIZES = {
    "road": (137_992, 384_332),
    "amazon": (40_339, 338_739),
    "pokec": (32_656, 612_451),
    "google": (87_571, 510_504),
}


def made(name, seed=1):
    scale = 0.02 if name == "pokec" else 0.1  # pokec: 3 million edges take seconds to draw
    n, edges = stand_ins.make(name, scale, seed)
    return n, edges, csr_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n))


def diameter(matrix) -> int:
    """At least this many edges: from a vertex of the core, and three times from that of the core that is farthest."""
    _, label = connected_components(matrix, connection="strong")
    core = np.flatnonzero(label == np.bincount(label).argmax())
    source, depths = core[len(core) // 2], []
    for _ in range(4):
        distance = dijkstra(matrix, indices=source, unweighted=True)
        depths.append(distance[np.isfinite(distance)].max())
        source = core[distance[core].argmax()]
    return int(max(depths))


def local(n, edges) -> float:
    block = -(-n // 4)
    return float((edges[:, 0] // block == edges[:, 1] // block).mean())


@pytest.mark.slow
@pytest.mark.parametrize("name", SIZES)
def test_size_and_what_an_edge_is(name):
    n, edges, _ = made(name)
    assert (n, len(edges)) == SIZES[name]
    assert len(np.unique(edges[:, 0] * n + edges[:, 1])) == len(edges)
    assert (edges[:, 0] != edges[:, 1]).all()
    assert edges[:, :2].min() >= 0
    assert edges[:, :2].max() < n
    assert set(edges[:, 2]) == set(range(1, 11))


def test_roads():
    n, edges, matrix = made("road")
    assert (matrix != matrix.T).nnz == 0
    assert diameter(matrix) == pytest.approx(1054 * 0.1**0.5, rel=0.15)
    assert local(n, edges) > 0.99


def test_amazon():
    n, edges, matrix = made("amazon")
    diameters = [diameter(made("amazon", seed)[2]) for seed in range(4)]
    assert np.mean(diameters) == pytest.approx(35, rel=0.1)
    assert 0.78 < local(n, edges) < 0.84
    assert np.diff(matrix.indptr).max() < 40  # no power law


def test_pokec_has_hubs_and_little_locality():
    n, edges, matrix = made("pokec")
    assert diameter(matrix) == pytest.approx(14, rel=0.15)
    assert local(n, edges) < 0.45
    assert np.diff(matrix.indptr).max() > 50 * len(edges) / n


def test_google_neighbours_are_even():
    n, edges, _ = made("google")
    shares = np.bincount(edges[:, 1] // -(-n // 4), minlength=4) / len(edges)
    assert shares == pytest.approx([0.25] * 4, abs=0.02)
    assert local(n, edges) == pytest.approx(0.25, abs=0.02)


def test_a_seed_makes_one_graph():
    one, same, other = (stand_ins.make("amazon", 0.01, seed)[1] for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize(("name", "scale"), [("texas", 1.0), ("road", 0.0)])
def test_what_cannot_be_made_is_refused(name, scale):
    with pytest.raises(ValueError, match=r"unknown stand-in 'texas'; known: road, amazon, pokec, google|must be > 0"):
        stand_ins.make(name, scale, 1)


def test_more_edges_that_lead_far_make_a_graph_less_deep_and_no_other_has_them():
    def reach(far):
        n, edges = stand_ins.make("amazon", 0.01, 1, far=far)
        apart = np.abs(edges[:, 0] - edges[:, 1])
        return (np.minimum(apart, n - apart) > n / 10).mean()

    assert reach(0.0003) < reach(None) < reach(0.1)
    assert stand_ins.make("road", 0.001, 1, far=0.04)[1].tolist() == stand_ins.make("road", 0.001, 1)[1].tolist()
    with pytest.raises(ValueError, match=r"far is 0\.1; road and amazon have"):
        stand_ins.make("pokec", 0.001, 1, far=0.1)
