"""Readers of graphs: edge lists as SNAP writes them, and Matrix Market."""

import gzip
import tempfile
from pathlib import Path

import networkx as nx
import polars as pl
import pytest
import scipy.io
from hypothesis import given, settings
from hypothesis import strategies as st
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


def graph_of(tables) -> tuple:
    return tables["graphs"].select("vertices", "edges", "directed", "weighted").row(0)


@pytest.mark.parametrize(
    ("text", "name", "graph"),
    [
        ("% sym unweighted\n% 2 3 3\n1 2\n2 3\n", "g.edges", (3, 4, False, False)),
        ("% asym posweighted\n1 2 5\n2 3 6\n", "g.edges", (3, 2, True, True)),
        ("% asym positive\n1 2 5\n2 3 6\n", "g.edges", (3, 2, True, False)),
        ("% asym multiposweighted\n1 2 5 1082040961\n2 3 6 1082040961\n", "g.edges", (3, 2, True, True)),
        ("% bip unweighted\n1 1\n1 2\n2 2\n", "out.actors", (4, 6, False, False)),
        ("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 1\n", "g.edges", (3, 4, False, False)),
        ("%%MatrixMarket matrix coordinate integer general\n% c\n2 3 2\n1 1 7\n2 3 8\n", "g.edges", (4, 2, True, True)),
        ("% sym unweighted\n3 3 2\n2 1\n3 1\n", "g.edges", (3, 4, False, False)),
        ("1 2 5 1.5\n2 3 6 x\n", "g.txt", (3, 2, True, True)),
        ("3 3\n0 1\n1 2\n2 0\n", "g.txt", (3, 3, True, False)),
        ("3 3 2\n1 2 9\n2 3 8\n", "g.txt", (3, 2, True, True)),
        ("3 3\n0 1\nx\n1 2\n", "g.txt", (3, 2, True, False)),  # a bad line is one of the three
        ("3 3\n0 1\n1 2\n", "g.txt", (4, 2, True, False)),  # one line short: a loop of vertex 3
        ("3 2\n1 2\n2 4\n", "g.txt", (4, 3, True, False)),  # vertex 4 is beyond 3: an edge
        ("1 2 1082040961000\n2 3 1082040961001\n", "g.el", (3, 2, True, False)),  # ms
        ("1 2 1082040961000000000\n2 3 1082040961001000000\n", "g.el", (3, 2, True, False)),  # ns
        ("c x\np sp 4 2\nc y\na 1 2 7\na 2 3 4\n", "g.gr", (4, 2, True, True)),
        ("p edge 3 2\ne 1 2\ne 2 3\n", "g.txt", (3, 4, False, False)),
        ("0 1 7\n1 2 8\n", "g.wel", (3, 2, True, True)),
        ("% c\n4 2\n2 3\n1\n1\n\n", "g.graph", (4, 4, False, False)),
        ("3 2 001\n2 7 3 8\n1 7\n1 8\n", "g.graph", (3, 4, False, True)),
        ("3 2 111 2\n9 5 5 2 7 3 8\n9 5 5 1 7\n9 5 5 1 8\n", "g.graph", (3, 4, False, True)),
        ("Source,Target,Type,Id,Label,Weight\n0,1,Undirected,0,\"a, b\",3.0\n1,2,Undirected,1,,2\n", "g.csv",
         (3, 4, False, True)),
        ("# c\nid\tto_node\tfrom_node\n1\t5\t6\n2\t6\t7\n", "g.tsv", (3, 2, True, False)),
        ("FromNodeId ToNodeId\n1 2\n2 3\n", "g.txt", (3, 2, True, False)),
    ],
)  # fmt: skip
def test_headers_say_direction_weights_sides_and_sizes(tmp_path, text, name, graph):
    tables, _ = read(tmp_path, text, name=name)
    assert graph_of(tables) == graph
    assert f"{graph[0]} vertices, {graph[1]} edges" in tables["traces"]["note"][0]


def test_edges_of_a_table_are_its_named_columns_and_bad_rows_are_rejected(tmp_path):
    text = 'weight;target;note;source\n5;2;"x;y";1\n6;3;;2\n\n7;;;3\n1;2\n8;4 4;;1\n2.50;1;;1\n9;1;;3\n'
    tables, summary = read(tmp_path, text, name="g.csv")
    assert edges(tables) == [(0, 1, 5), (1, 2, 6), (2, 0, 9)]
    assert tables["rejected_rows"].sort("row").select("row", "reason").rows() == [
        (5, "malformed_edge"), (6, "malformed_edge"), (7, "malformed_edge"), (8, "weight_not_positive"),
    ]  # fmt: skip
    assert tables["provenance"]["rows"].sum() == 7
    assert summary.code == 1


def test_times_are_asked_about_and_the_answer_is_taken(tmp_path):
    text = "1 2 1082040961\n2 1 1082155839\n"
    tables, _ = read(tmp_path, text)
    assert edges(tables) == [(0, 1, 1), (1, 0, 1)]
    assert "Unix times from 2004-04-15" in tables["traces"]["warnings"][0]
    assert "weights: true" in tables["traces"]["warnings"][0]
    for stated, weight in (("true", 1082040961), ("false", 1)):
        (tmp_path / stated).mkdir()
        tables, _ = read(tmp_path / stated, text, settings=f"weights: {stated}\n")
        assert edges(tables)[0] == (0, 1, weight)
        assert tables["traces"]["warnings"][0] is None


@pytest.mark.parametrize("weight", [10**18, 10**19, 9 * 10**17])
@pytest.mark.parametrize("name", ["g.el", "g.graph", "g.mtx"])
def test_weights_whose_paths_exceed_64_bits_are_refused(tmp_path, weight, name):
    pairs = [(v, v + 1) for v in range(1, 12)]
    lines = "".join(f"{v} {w} {weight}\n" for v, w in pairs)
    if name == "g.mtx":
        lines = f"%%MatrixMarket matrix coordinate integer general\n12 12 11\n{lines}"
    if name == "g.graph":
        lines = "11 10 1\n" + f"2 {weight}\n" * 11
    tables, summary = read(tmp_path, lines, name=name, settings="weights: true\n")
    assert summary.code == 2
    assert tables["rejected_rows"]["reason"].to_list() == ["weight_too_large"]
    assert "graphs" not in tables


def test_a_line_of_neighbours_with_a_fault_is_rejected_whole(tmp_path):
    text = "4 3\n2 3\n1 x\n1 5\n\n1 2\n"
    tables, _ = read(tmp_path, text, name="g.graph")
    assert edges(tables) == [(0, 1, 1), (0, 2, 1), (1, 0, 1), (2, 0, 1)]
    assert tables["rejected_rows"]["row"].to_list() == [3, 4, 6]
    assert set(tables["rejected_rows"]["reason"]) == {"malformed_neighbours"}


def test_sizes_and_comments_are_found_over_several_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("pipeline.readers._files.BLOCK_BYTES", 5)
    tables, _ = read(tmp_path, "# some words\n# more\n4 3\n0 1\n1 2\n2 3\n")
    assert graph_of(tables) == (4, 3, True, False)


@st.composite
def headed(draw):
    """A graph with a header, its text, name, and vertices, edges both ways if so, and weakly connected components."""
    style = draw(st.sampled_from(["konect", "sizes", "dimacs", "metis", "csv"]))
    n = draw(st.integers(2, 9))
    vertex = st.integers(1, n)
    pairs = draw(st.lists(st.tuples(vertex, vertex, st.integers(1, 99)), min_size=1, max_size=30))
    directed, weighted = style != "metis" and draw(st.booleans()), draw(st.booleans())
    two_sided = style == "konect" and not directed and draw(st.booleans())
    rows = [pair if weighted else pair[:2] for pair in pairs]
    body = "".join(" ".join(map(str, row)) + "\n" for row in rows)
    name, least = "g.edges", {}
    if style == "konect":
        kind = "bip" if two_sided else "asym" if directed else "sym"
        text = f"% {kind} {'posweighted' if weighted else 'unweighted'}\n{body}"
    elif style == "sizes":
        text = f"#{'' if directed else ' undirected'}\n{n} {len(rows)}\n{body}"
    elif style == "dimacs":
        weighted = directed
        name, kind, letter = "g.gr", *(("sp", "a") if directed else ("edge", "e"))
        lines = (" ".join(map(str, pair if directed else pair[:2])) for pair in pairs)
        text = f"p {kind} {n} {len(rows)}\n" + "".join(f"{letter} {line}\n" for line in lines)
    elif style == "metis":
        name = "g.graph"
        out = {v: [] for v in range(1, n + 1)}
        for v, w, weight in pairs:
            out[v].append(f"{w} {weight}" if weighted else f"{w}")
            out[w].append(f"{v} {weight}" if weighted else f"{v}")
        text = f"{n} {len(rows)} {int(weighted)}\n" + "".join(" ".join(line) + "\n" for line in out.values())
    else:
        name = "g.csv"
        head = "source,target,weight\n" if weighted else "source,target\n"
        text = ("" if directed else "# undirected\n") + head + body.replace(" ", ",")
    graph = nx.DiGraph()
    graph.add_nodes_from(range(1, n + 1) if style in ("dimacs", "metis") else ())
    for v, w, weight in pairs:
        w = ("right", w) if two_sided else w
        graph.add_nodes_from((v, w))
        for a, b in [(v, w)] if directed else [(v, w), (w, v)]:
            if a != b:
                least[a, b] = min(least.get((a, b), 100), weight if weighted else 1)
    graph.add_edges_from(least)
    return text, name, directed, weighted, graph, least


@settings(max_examples=60, deadline=None)
@given(headed())
def test_graphs_with_headers_are_read_as_in_plain_python(made):
    text, name, directed, weighted, graph, least = made
    with tempfile.TemporaryDirectory() as folder:
        tables, _ = read(Path(folder), text, name=name)
    assert graph_of(tables) == (len(graph), len(least), directed, weighted)
    # A graph of nothing but loops has no table of edges.
    assert sorted(tables["edges"]["weight"] if least else []) == sorted(least.values())
    count = nx.number_weakly_connected_components(graph)
    assert f"{count} {'weakly ' if directed else ''}connected component" in tables["traces"]["note"][0]
    tallies = tables["tallies"].filter(pl.col("table_name") == "edges", pl.col("fate") != "observed")
    assert tallies["rows"].sum() == tables["provenance"]["rows"].sum()


@pytest.mark.real
@pytest.mark.parametrize(
    ("name", "graph"),
    [
        ("konect_bip.edges", (7, 14, False, False)),
        ("konect_sym.edges", (5, 12, False, False)),
        ("konect_four_columns.edges", (4, 4, True, False)),
        ("size_line.txt", (5, 6, True, False)),
        ("temporal.txt", (7, 6, True, False)),
        ("dimacs.gr", (4, 5, True, True)),
    ],
)
def test_graphs_of_the_field(tmp_path, trace_data, name, graph):
    tables, summary = read(tmp_path, (trace_data / "field" / name).read_bytes(), name=name)
    assert graph_of(tables) == graph
    assert tables["graphs"]["self_loops"].to_list() == [0]
    assert ("Unix times" in (tables["traces"]["warnings"][0] or "")) == (name == "temporal.txt")
    assert summary.code == 0


@pytest.mark.real
def test_weights_of_19_digits_are_refused(tmp_path, trace_data):
    folder = trace_data / "field" / "probe" / "weights_19_digits"
    tables, summary = read(
        tmp_path, (folder / "g.edges").read_bytes(), name="g.edges", settings=(folder / "trace.yaml").read_text()
    )
    assert summary.code == 2
    assert tables["rejected_rows"]["reason"].to_list() == ["weight_too_large"]
