"""Graphs, sources and scenarios that a configuration asks for."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from pipeline import tables
from pipeline.config import Configuration
from pipeline.studies import pim_graph
from pipeline.studies.pim_graph.config import GraphSweep, PimGraph
from pipeline.tables import CANONICAL


def configured(**sweeps) -> Configuration:
    return Configuration(pim_graph=PimGraph(sweeps={name: GraphSweep(**options) for name, options in sweeps.items()}))


def dropped(directed=False, weight=1, weighted=False) -> dict[str, pl.DataFrame]:
    """A catalog with a ring of 40 vertices, each edge both ways."""
    v = np.arange(40)
    source, target = np.concatenate([v, (v + 1) % 40]), np.concatenate([(v + 1) % 40, v])
    edges = pl.DataFrame({"trace": "ring", "source": source, "target": target, "weight": weight})
    graphs = {"trace": "ring", "vertices": 40, "edges": 80, "directed": directed, "weighted": weighted}
    trace = {"trace": "ring", "drop": "ring", "kind": tables.MEASURED}
    made = {"edges": edges, "graphs": pl.DataFrame([graphs]), "traces": pl.DataFrame([trace])}
    return {
        name: pl.concat([tables.empty(CANONICAL[name]), frame], how="diagonal_relaxed") for name, frame in made.items()
    }


def test_scenarios_are_the_same_with_drawn_sources_at_hand_and_without():
    config = configured(
        one={"workload": "stand_in", "graphs": ["pokec"], "scale": 0.0002, "algorithms": ["bfs"], "batches": 4},
        many={"workload": "dropped", "algorithms": ["bc"], "roots": [1, 3, "all"], "batches": 2},
        few={"workload": "dropped", "algorithms": ["bfs"], "batches": 4},
    )
    catalog = dropped()
    drawn = pim_graph.workloads(config, catalog)["sources"]
    with_them = pim_graph.scenarios(config, catalog | {"sources": drawn})
    assert_frame_equal(with_them, pim_graph.scenarios(config, catalog))
    roots = {(graph, batch): sources for graph, batch, sources in drawn.iter_rows()}
    assert {batch for _, batch in roots} == {0, 1, 2, 3}
    assert set(with_them["algorithm"]) == {"bfs", "bc"}
    lengths = set()
    for graph, batch, root in with_them.select("graph_id", "seed", "root").iter_rows():
        drawn_roots = roots[graph, batch]
        assert root == {1: drawn_roots[:1], 3: drawn_roots[1:4], 40: list(range(40))}[len(root)]
        assert len(set(root)) == len(root)
        lengths.add((graph, batch, len(root)))
    assert {(batch, n) for graph, batch, n in lengths if "ring" in graph} >= {(0, 1), (0, 3), (0, 40), (1, 1), (1, 3)}
    assert not any(batch > 0 and n == 40 for _, batch, n in lengths)


def test_costs_of_queues_and_of_local_memory_are_keys_and_local_memory_is_not_farther():
    config = configured(a={"workload": "dropped", "algorithms": ["bfs"], "batches": 1, "qr": [64, 256],
                           "ql": [64, 128], "s": [1, 9], "e": [1, 3], "schedulers": ["baseline"]})  # fmt: skip
    made = pim_graph.scenarios(config, dropped())
    assert set(made.select("ql", "qr").iter_rows()) == {(64, 64), (64, 256), (128, 256)}
    assert len(made) == 3 * 4 == made["scenario_id"].n_unique()
    with pytest.raises(ValueError, match="64 is less than the 128 cycles of an access to local memory"):
        GraphSweep(workload="dropped", qr=[64], ql=[128])


@pytest.mark.parametrize("directed", [False, True])
def test_seeded_weights_are_in_range_and_of_an_undirected_edge_the_same_both_ways(directed):
    config = configured(a={"workload": "dropped", "seeded_weights": 7, "algorithms": ["sssp"], "batches": 1})
    made = pim_graph.workloads(config, dropped(directed))
    edges = made["edges"]
    assert edges["graph_id"].unique().to_list() == ["dropped/ring-w7"]
    assert set(edges["weight"]) == set(range(1, 8))
    weight = {(v, w): x for v, w, x in edges.select("source", "target", "weight").iter_rows()}
    assert all(weight[v, w] == weight[w, v] for v, w in weight) is not directed
    assert_frame_equal(edges, pim_graph.workloads(config, dropped(directed))["edges"])


@pytest.mark.parametrize(("weight", "weighted", "seeded"), [(5, True, 7), (1, False, None)])
def test_weights_that_are_there_stay_and_unasked_there_are_none(weight, weighted, seeded):
    config = configured(a={"workload": "dropped", "seeded_weights": seeded, "algorithms": ["sssp"], "batches": 1})
    made = pim_graph.workloads(config, dropped(weight=weight, weighted=weighted))
    assert made["edges"]["graph_id"].unique().to_list() == ["dropped/ring"]
    assert set(made["edges"]["weight"]) == {weight}
