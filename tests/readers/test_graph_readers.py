"""Readers of graphs: edge lists as SNAP writes them, and Matrix Market."""

import gzip
from pathlib import Path

import networkx as nx
import polars as pl
import pytest
import scipy.io
from scipy.sparse import coo_array

from pipeline.stages import ingest


def read(
    tmp_path: Path, text: str | bytes, name="web.txt", settings=""
) -> tuple[dict[str, pl.DataFrame], ingest.Summary]:
    """Canonical tables of a drop of one file."""
    drop = tmp_path / "drop"
    drop.mkdir()
    (drop / name).write_bytes(text.encode() if isinstance(text, str) else text)
    if settings:
        (drop / "trace.yaml").write_text(settings)
    summary = ingest.ingest(drop, tmp_path / "out")
    return {path.stem: pl.read_parquet(path) for path in (tmp_path / "out").glob("*.parquet")}, summary


def edges(tables) -> list[tuple]:
    return tables["edges"].select("source", "target", "weight").rows()


def test_a_snap_list_with_every_peculiarity(tmp_path):
    text = (
        "# Directed graph: x.txt\n# Kinds:\t\n           -1 (<FromNodeId> pays <ToNodeId>)\n# Nodes: 4\tEdges: 7\n"
        "# FromNodeId\tToNodeId\n10\t20\r\n10 4000000000\n\n20  10\t\n10 20\n20 20\n7,10\n"
    )
    tables, summary = read(tmp_path, text)
    assert edges(tables) == [(0, 1, 1), (1, 2, 1), (1, 3, 1), (2, 1, 1)]
    assert tables["vertex_ids"]["original_id"].to_list() == [7, 10, 20, 4_000_000_000]
    graph = tables["graphs"].row(0, named=True)
    assert (graph["vertices"], graph["edges"], graph["self_loops"], graph["parallel_edges"]) == (4, 4, 1, 1)
    assert graph["directed"]
    assert not graph["weighted"]
    assert "announces 4 nodes and 7 edges, the file has 4 and 6" in tables["traces"]["note"][0]
    assert summary.code == 0


def test_a_third_column_is_the_weight_and_the_least_stays(tmp_path):
    tables, _ = read(tmp_path, "1 2 7\n1 2 3\n2 1 9\n")
    assert edges(tables) == [(0, 1, 3), (1, 0, 9)]
    assert tables["graphs"]["weighted"].to_list() == [True]


def test_a_third_column_that_is_no_weight_can_be_left_out(tmp_path):
    tables, summary = read(tmp_path, "1 2 -1\n2 1 x\n", settings="weights: false\n")
    assert edges(tables) == [(0, 1, 1), (1, 0, 1)]
    assert summary.code == 0


def test_weights_that_are_no_whole_numbers_are_rejected_with_the_way_out(tmp_path):
    tables, _ = read(tmp_path, "1 2 3\n1 2 0.5\n")
    assert tables["rejected_rows"]["detail"].to_list() == [
        "'1 2 0.5': weights are whole numbers above 0; `weights: false` leaves them out"
    ]


@pytest.mark.parametrize("directed", [True, False])
def test_rows_of_the_file_are_used_left_out_or_rejected(tmp_path, directed):
    # Listed both ways, as SNAP lists undirected graphs, with a loop and an edge that stands twice.
    text = "1 2\n2 1\n2 3\n3 2\n3 3\n2 3\nx y\n"
    tables, _ = read(tmp_path, text, settings=f"directed: {str(directed).lower()}\n")
    of_edges = tables["tallies"].filter(table_name="edges").group_by("fate", "reason").agg(pl.col("rows").sum())
    counts = {(fate, reason): rows for fate, reason, rows in of_edges.iter_rows()}
    assert counts == {
        ("used", None): 4 if directed else 2,
        ("left_out", "self_loop"): 1,
        ("left_out", "parallel_edge"): 1 if directed else 3,
        ("rejected", "malformed_edge"): 1,
    }
    assert sum(counts.values()) == tables["provenance"]["rows"].sum() == 7
    assert tables["edges"].height == 4


@pytest.mark.parametrize(("text", "settings"), [("1 2\n", "directed: false\n"), ("# Undirected graph: x\n1 2\n", "")])
def test_undirected_edges_lead_both_ways(tmp_path, text, settings):
    tables, _ = read(tmp_path, text, settings=settings)
    assert edges(tables) == [(0, 1, 1), (1, 0, 1)]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("a b", "malformed_edge"),
        ("1.5 2", "malformed_edge"),
        ("5", "malformed_edge"),
        ("1 2 3 4", "malformed_edge"),
        ("1 2 0.5", "weight_not_positive"),
        ("1 2 x", "weight_not_positive"),
        ("-1 2", "vertex_negative"),
        ("1 4294967296", "vertex_too_large"),
        ("1 99999999999999999999", "vertex_too_large"),
        ("1 2 0", "weight_not_positive"),
        ("1 2 -4", "weight_not_positive"),
    ],
)
def test_a_bad_line_is_rejected_with_its_number(tmp_path, line, reason):
    tables, summary = read(tmp_path, f"# c\n1 2\n{line}\n2 3\n")
    assert edges(tables) == [(0, 1, 1), (1, 2, 1)]
    assert tables["rejected_rows"].select("reason", "row", "table_name").rows() == [(reason, 3, "edges")]
    assert summary.code == 1


@pytest.mark.parametrize("text", ["", "# nothing but a comment\n"])
def test_a_graph_without_edges_is_refused(tmp_path, text):
    tables, summary = read(tmp_path, text)
    assert summary.code == 2
    assert tables["rejected_rows"]["reason"][0] in ("file_empty", "graph_empty")
    assert "graphs" not in tables
    assert "edges" not in tables


def test_a_cut_gzip_file_is_refused_and_says_where(tmp_path):
    whole = gzip.compress("".join(f"{i} {i * 7 % 1000}\n" for i in range(20000)).encode())
    tables, summary = read(tmp_path, whole[: len(whole) // 2], name="web.txt.gz")
    assert summary.code == 2
    assert tables["rejected_rows"]["reason"].to_list() == ["truncated_gzip"]


def test_a_list_over_several_blocks_is_read_as_networkx_reads_it(tmp_path, monkeypatch):
    monkeypatch.setattr("pipeline.readers._files.BLOCK_BYTES", 97)
    graph = nx.gnm_random_graph(60, 400, seed=5, directed=True)
    lines = "".join(f"{3 * v + 1}\t{3 * w + 1}\n" for v, w in graph.edges)
    tables, _ = read(tmp_path, gzip.compress(lines.encode()), name="web.edges.gz")
    names = tables["vertex_ids"]["original_id"].to_list()
    assert {(names[v], names[w]) for v, w, _ in edges(tables)} == {(3 * v + 1, 3 * w + 1) for v, w in graph.edges}


def test_notes_beside_a_list_are_passed_over_and_text_beside_a_table_is_no_graph(tmp_path):
    drop = tmp_path / "drop"
    drop.mkdir()
    (drop / "a.txt").write_text("1 2\n")
    (drop / "README.txt").write_text("this is not a graph\n")
    (drop / "b.txt").write_text("1 2\n2 3\n")
    summary = ingest.ingest(drop, tmp_path / "out")
    assert summary.format == "edge_list"
    assert pl.read_parquet(tmp_path / "out" / "graphs.parquet")["trace"].to_list() == ["drop/a", "drop/b"]
    assert summary.unread == ["README.txt"]


@pytest.mark.parametrize("symmetry", ["general", "symmetric"])
def test_matrix_market_as_scipy_writes_it(tmp_path, symmetry):
    pairs = [(1, 0, 4), (3, 0, 2), (3, 1, 9)]
    pairs = pairs if symmetry == "general" else [*pairs, *((w, v, weight) for v, w, weight in pairs)]
    v, w, weight = zip(*pairs, strict=True)
    scipy.io.mmwrite(tmp_path / "m.mtx", coo_array((weight, (v, w)), shape=(5, 5)), symmetry=symmetry, field="integer")
    tables, _ = read(tmp_path, (tmp_path / "m.mtx").read_bytes(), name="m.mtx")
    assert edges(tables) == sorted(pairs)
    assert tables["graphs"]["vertices"].to_list() == [5]
    assert tables["vertex_ids"]["original_id"].to_list() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n", "header_malformed"),
        ("%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 1 1\n", "header_malformed"),
        ("%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 2\n", "not_square"),
        ("%%MatrixMarket matrix coordinate pattern general\n% only a comment\n", "header_malformed"),
        ("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 3\n", "vertex_too_large"),
        ("%%MatrixMarket matrix coordinate pattern general\n2 2 0\n", "graph_empty"),
    ],
)
def test_other_matrices_are_refused(tmp_path, text, reason):
    tables, summary = read(tmp_path, text, name="m.mtx")
    assert summary.code == 2
    assert tables["rejected_rows"]["reason"].to_list() == [reason]


@pytest.mark.real
@pytest.mark.parametrize(
    ("name", "vertices", "edges_"), [("wiki-Vote", 7115, 103689), ("p2p-Gnutella31", 62586, 147892)]
)
def test_real_lists_have_the_size_that_they_announce(tmp_path, trace_data, name, vertices, edges_):
    tables, summary = read(tmp_path, (trace_data / "graph" / f"{name}.txt.gz").read_bytes(), name=f"{name}.txt.gz")
    assert tables["graphs"].select("vertices", "edges").rows() == [(vertices, edges_)]
    assert summary.code == 0
