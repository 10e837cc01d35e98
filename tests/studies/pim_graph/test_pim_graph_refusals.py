"""Edges and scenarios that cannot be are refused in a sentence; edges that say nothing change nothing."""

import polars as pl
import pytest
from pim_graph_cases import edges_of, scenario, shape
from polars.testing import assert_frame_equal

from pipeline.studies import pim_graph


def inputs():
    return {"edges": edges_of("g", shape("full")[1])}


def test_self_loops_and_parallel_edges_change_nothing_but_the_least_weight_counts():
    edges = edges_of("g", shape("cycle")[1])
    more = pl.concat([edges, edges.with_columns(pl.col("weight") + 5), edges.with_columns(target=pl.col("source"))])
    scenarios = pl.DataFrame([scenario("a", "migration", "sssp", qr=200)])
    result, expected = (pim_graph.replay({"edges": each}, scenarios) for each in (more, edges))
    for name, table in result.items():
        assert_frame_equal(table, expected[name])


def test_a_graph_without_edges_needs_its_vertices_stated():
    edges = edges_of("g", {})
    scenarios = pl.DataFrame([scenario("a", "migration", "bfs", root=[2])])
    tables = pim_graph.replay({"edges": edges, "graphs": pl.DataFrame({"graph_id": ["g"], "vertices": [5]})}, scenarios)
    assert tables["outcomes"].rows() == [("a", 0, 257, 1, 0)]
    with pytest.raises(ValueError, match=r"unknown graph 'g'"):
        pim_graph.replay({"edges": edges}, scenarios)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"root": [6]}, "root 6 of 'a' is no vertex of graph 'g', whose vertices are 0 to 5"),
        ({"root": [-1]}, "root -1"),
        ({"root": []}, "has 0 roots"),
        ({"root": [0, 1]}, "has 2 roots"),
        ({"stacks": 0}, "stacks is 0"),
        ({"qr": 63}, "qr < ql"),
        ({"cl": 1.5}, "cl is 1.5 in row 1; it must be a whole number"),
        (
            {"algorithm": "bc"},
            "checks neighbours late; those that run it: adaptive, baseline, migration_remote",
        ),
    ],
)
def test_what_is_wrong_is_said(change, said):
    row = scenario("a", "migration", "bfs") | change
    with pytest.raises(ValueError, match=said):
        pim_graph.replay(inputs(), pl.DataFrame([row]))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"weight": 0}, "weight is 0 in row 1; it must be at least 1"),
        ({"weight": -3}, "weight is -3 in row 1"),
        ({"weight": 1.5}, "weight is 1.5 in row 1; it must be a whole number"),
        ({"source": -1}, "source is -1 in row 1"),
        ({"target": 9}, "target is 9 in row 1; vertices of graph 'g' are 0 to 5"),
    ],
)
def test_a_bad_edge_is_named(change, said):
    edges = inputs()["edges"].with_columns(pl.lit(value).alias(name) for name, value in change.items())
    graphs = pl.DataFrame({"graph_id": ["g"], "vertices": [6]})
    with pytest.raises(ValueError, match=said):
        pim_graph.replay({"edges": edges, "graphs": graphs}, pl.DataFrame([scenario("a", "migration", "bfs")]))
