"""Graphs as sparse matrices: SciPy reads the same edges, and so does our own reader."""

import polars as pl
import pytest
import scipy.io

from pipeline.export import export
from pipeline.stages import ingest


@pytest.mark.parametrize(
    ("graph", "file", "key"),
    [
        ("amazon_like", "ingest/amazon_like/edges.parquet", "trace_id"),
        ("stand_in/amazon-0.003", "scenarios/pim_graph/synthetic/edges.parquet", "graph_id"),
    ],
)
def test_scipy_reads_the_weights_of_the_edges(source, graph, file, key, tmp_path):
    export("matrix-market", source, graph, tmp_path / "graph.mtx")
    matrix = scipy.io.mmread(tmp_path / "graph.mtx").tocoo()
    edges = pl.read_parquet(source.results / file).filter(pl.col(key) == graph)
    assert len(edges) > 500
    assert matrix.shape[0] == matrix.shape[1] > edges["source"].max()
    read = set(zip(matrix.row.tolist(), matrix.col.tolist(), matrix.data.tolist(), strict=True))
    assert read == set(edges.select("source", "target", "weight").iter_rows())


def test_a_graph_comes_back_as_it_was(source, tmp_path):
    drop = tmp_path / "again"
    drop.mkdir()
    export("matrix-market", source, "amazon_like", drop / "graph.mtx")
    (drop / "trace.yaml").write_text("weights: true\n")
    summary = ingest.ingest(drop, tmp_path / "ingested")
    assert summary.format == "matrix_market"
    columns = ["source", "target", "weight"]
    again = pl.read_parquet(tmp_path / "ingested" / "edges.parquet").select(columns).sort(columns)
    ours = pl.read_parquet(source.results / "ingest" / "amazon_like" / "edges.parquet").select(columns).sort(columns)
    assert again.cast(pl.Int64).equals(ours.cast(pl.Int64))


def test_a_graph_that_is_not_there_and_edges_that_are_not_there_are_sentences(source, tmp_path):
    with pytest.raises(ValueError, match=r"no graph 'amazon_lik'; did you mean 'amazon_like'\?; known: amazon_like, "):
        export("matrix-market", source, "amazon_lik", tmp_path / "x.mtx")
    elsewhere = type(source)(source.database, tmp_path)
    with pytest.raises(FileNotFoundError, match="name their folder with --results"):
        export("matrix-market", elsewhere, "amazon_like", tmp_path / "x.mtx")
    assert not list(tmp_path.iterdir())
