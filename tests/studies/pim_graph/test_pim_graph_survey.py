"""What a graph is like before any machine traverses it, against networkx and plain counting."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from pim_graph_cases import edges_of, random_graph

from pipeline.simulation.csr import compressed
from pipeline.studies.pim_graph import survey
from pipeline.studies.pim_graph.model.graph import graph_of


def made(n, out):
    edges = edges_of("g", out)
    first, target, weight, _, _ = compressed(n, *(edges[k].to_numpy() for k in ("source", "target", "weight")))
    graph = nx.DiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from((v, w) for v, targets in out.items() for w in targets)
    return graph_of(first, target, weight), graph


@pytest.mark.parametrize("seed", range(4))
def test_core_depths_and_neighbours(seed):
    random = np.random.default_rng(seed)
    unreached = 0
    for _ in range(25):
        n, out = random_graph(random, 40)
        graph, known = made(n, out)
        components = sorted(
            nx.strongly_connected_components(known), key=lambda component: (-len(component), min(component))
        )
        assert survey.core(graph).tolist() == sorted(components[0])

        root = int(random.integers(n))
        depth = survey.depths(graph, root)
        away = nx.single_source_shortest_path_length(known, root)
        assert depth.tolist() == [away.get(v, -1) for v in range(n)]
        unreached += (depth < 0).sum()

        block = -(-n // survey.STACKS)
        wanted = Counter((int(depth[v]), v // block, w // block) for v in away for w in out[v])
        counted = {row[:3]: row[3] for row in survey.neighbours(graph, depth).rows()}
        assert counted == wanted
        pairs = [(v, w) for v, targets in out.items() for w in targets]
        staying = [v // block == w // block for v, w in pairs]
        assert survey.local_share(graph) == (pytest.approx(np.mean(staying)) if pairs else None)
    assert unreached > 50


def test_of_equally_large_cores_the_one_with_the_least_vertex():
    graph, _ = made(5, {0: {1: 1}, 1: {}, 2: {4: 1}, 3: {}, 4: {2: 1}})
    assert survey.core(graph).tolist() == [2, 4]
    graph, _ = made(4, {0: {3: 1}, 1: {2: 1}, 2: {1: 1}, 3: {0: 1}})
    assert survey.core(graph).tolist() == [0, 3]
