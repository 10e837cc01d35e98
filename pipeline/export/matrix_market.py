"""A graph as a sparse matrix in Matrix Market format, which SciPy, GraphBLAS and most graph libraries read.

Source: Boisvert, Pozo, Remington, *The Matrix Market Exchange Formats* (NIST, 1996). The entry in row u + 1, column
v + 1 is the weight of the edge from u to v; vertices are numbered from 0, as in the results. Of an undirected graph
both directions are written.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from pipeline.export._source import Source
from pipeline.runtime import storage
from pipeline.runtime.wording import did_you_mean

FORMAT = "matrix-market"
TAKES = "<graph>"
TARGET = "graph.mtx"
STUDY = "pim_graph"


def write(source: Source, what: str, target: Path) -> str:
    """Write the graph of a trace, or a stand-in by its workload_id (as stand_in/amazon-0.01)."""
    vertices, edges = _graph(source, what)
    with storage.replacing_file(target) as part, part.open("wb") as file:
        file.write(header(vertices, len(edges), what).encode())
        body = edges.select(pl.col("source") + 1, pl.col("target") + 1, "weight")
        body.write_csv(file, include_header=False, separator=" ")
    return f"{target}: {what}, {vertices} vertices, {len(edges)} edges"


def header(vertices: int, edges: int, name: str) -> str:
    """Head of a file of integer weights."""
    comment = name.replace("\n", " ")
    return f"%%MatrixMarket matrix coordinate integer general\n% {comment}\n{vertices} {vertices} {edges}\n"


def _graph(source: Source, name: str) -> tuple[int, pl.DataFrame]:
    """Number of vertices and edges (source, target, weight), by source and target. Raises ValueError for no graph."""
    dropped = source.rows("SELECT trace_id, drop, vertices FROM graph JOIN trace USING (trace_id)")
    stand_ins = source.rows("SELECT workload_id, vertices FROM workload_pim_graph WHERE kind = 'stand_in'")
    if name in dropped["trace_id"]:
        row = dropped.filter(trace_id=name).row(0, named=True)
        edges = _edges(source.results / "ingest" / row["drop"] / "edges.parquet", pl.col("trace_id") == name)
        return row["vertices"], edges
    if name in stand_ins["workload_id"]:
        file = source.results / "scenarios" / STUDY / "synthetic" / "edges.parquet"
        return stand_ins.filter(workload_id=name)["vertices"][0], _edges(file, pl.col("graph_id") == name)
    known = [*dropped["trace_id"], *stand_ins["workload_id"]]
    raise ValueError(f"no graph {name!r}{did_you_mean(name, known)}; known: {', '.join(known) or 'none'}")


def _edges(file: Path, chosen: pl.Expr) -> pl.DataFrame:
    if not file.is_file():
        raise FileNotFoundError(
            f"{file} is not there; edges stay in Parquet beside the database: name their folder with --results"
        )
    edges = pl.scan_parquet(file).filter(chosen).select(pl.col("source", "target", "weight").cast(pl.Int64))
    return edges.collect().sort("source", "target")
