"""The interface: ids, dtypes, defaults, order of rows, and errors that say what is known."""

import polars as pl
import pytest
from pim_graph_cases import RUNNABLE, edges_of, scenario, shape
from polars.testing import assert_frame_equal

from pipeline.studies import pim_graph


def inputs(graph_id="g", **more):
    return {"edges": edges_of(graph_id, shape("full")[1]), "return_values": True, **more}


def rows(**options) -> pl.DataFrame:
    return pl.DataFrame([scenario(f"{p}/{a}", p, a, **options) for p, a in RUNNABLE])


def assert_same(a, b):
    assert a.keys() == b.keys()
    for name in a:
        assert_frame_equal(a[name], b[name])


def test_absent_columns_and_null_cells_are_the_defaults():
    given = rows()
    short = given.drop(list(pim_graph.DEFAULTS))
    nulls = given.with_columns(pl.lit(None).alias(name) for name in pim_graph.DEFAULTS)
    spelled = given.with_columns(cd=pl.lit(192), qr=pl.lit(64.0), mlp=pl.lit(0, pl.UInt8))
    expected = pim_graph.replay(inputs(), given)
    for other in (short, nulls, spelled):
        assert_same(pim_graph.replay(inputs(), other), expected)


def test_order_of_rows_means_nothing_and_neither_does_the_batch():
    given = rows(qr=320)
    expected = pim_graph.replay(inputs(), given)
    shuffled = inputs()
    shuffled["edges"] = shuffled["edges"].sample(fraction=1, shuffle=True, seed=1)
    assert_same(pim_graph.replay(shuffled, given.sample(fraction=1, shuffle=True, seed=2)), expected)
    parts = [pim_graph.replay(inputs(), given[i]) for i in range(len(given))]
    for name in expected:
        joined = pl.concat(part[name] for part in parts)
        keys = ["scenario_id", *({"outcomes": ["level"], "values": ["vertex"], "metrics": []}[name])]
        assert_frame_equal(joined.sort(keys, maintain_order=True), expected[name].sort(keys, maintain_order=True))


@pytest.mark.parametrize("dtype", [pl.String, pl.Int16, pl.UInt64, pl.Categorical])
def test_ids_come_back_as_given(dtype):
    ids = pl.Series("id", ["3", "20"]).cast(pl.String if dtype in (pl.String, pl.Categorical) else pl.Int64).cast(dtype)
    edges = edges_of("g", shape("path")[1])
    edges = pl.concat(edges.with_columns(graph_id=pl.lit(one, dtype)) for one in ids)
    edges = edges.with_columns(pl.col("source", "target").cast(pl.UInt32))
    scenarios = pl.DataFrame({
        "scenario_id": ids, "graph_id": ids, "scheduler": ["migration"] * 2, "algorithm": ["bfs"] * 2,
        "stacks": [2, 3], "root": [0, 1],
    })  # fmt: skip
    tables = pim_graph.replay({"edges": edges, "return_values": True}, scenarios)
    assert {frame["scenario_id"].dtype for frame in tables.values()} == {ids.dtype}
    assert tables["values"]["vertex"].dtype == pl.UInt32
    assert tables["values"].columns == ["scenario_id", "vertex", "value"]
    assert tables["outcomes"].columns == ["scenario_id", "level", "cycles", "tasks", "enqueues"]
    assert set(tables["outcomes"]["scenario_id"].cast(pl.String)) == {"3", "20"}


def test_self_loops_and_parallel_edges_change_nothing_but_the_least_weight_counts():
    edges = edges_of("g", shape("cycle")[1])
    more = pl.concat([edges, edges.with_columns(pl.col("weight") + 5), edges.with_columns(target=pl.col("source"))])
    scenarios = pl.DataFrame([scenario("a", "migration", "sssp", qr=200)])
    assert_same(pim_graph.replay({"edges": more}, scenarios), pim_graph.replay({"edges": edges}, scenarios))


def test_a_graph_without_edges_needs_its_vertices_stated():
    edges = edges_of("g", {})
    scenarios = pl.DataFrame([scenario("a", "migration", "bfs", root=[2])])
    tables = pim_graph.replay({"edges": edges, "graphs": pl.DataFrame({"graph_id": ["g"], "vertices": [5]})}, scenarios)
    assert tables["outcomes"].rows() == [("a", 0, 257, 1, 0)]
    with pytest.raises(ValueError, match=r"unknown graph 'g'"):
        pim_graph.replay({"edges": edges}, scenarios)


def test_no_scenarios_give_empty_tables():
    tables = pim_graph.replay(inputs(), rows().clear())
    assert {len(frame) for frame in tables.values()} == {0}
    assert list(tables) == ["outcomes", "metrics", "values"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"scheduler": "work_stealin"}, "unknown scheduler 'work_stealin'; known: .*did you mean 'work_stealing'"),
        ({"algorithm": "dfs"}, "unknown algorithm 'dfs'; known: bc, bfs, sssp"),
        ({"queue": "hardware"}, "unknown queue 'hardware'; known: pim, software"),
        ({"graph_id": "h"}, "unknown graph 'h'; known are g"),
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
        ({"weight": 0}, "weight is 0 in row 1; weights are positive whole numbers"),
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


def test_missing_tables_and_columns_are_named():
    one = pl.DataFrame([scenario("a", "migration", "bfs")])
    with pytest.raises(ValueError, match="missing table edges; found edge; did you mean 'edge'"):
        pim_graph.replay({"edge": inputs()["edges"]}, one)
    with pytest.raises(ValueError, match="edges: missing column target"):
        pim_graph.replay({"edges": inputs()["edges"].drop("target")}, one)
    with pytest.raises(ValueError, match="scenarios: missing column root"):
        pim_graph.replay(inputs(), one.drop("root"))
