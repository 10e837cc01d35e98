"""Stand-ins for the graphs of thesis chapter 7, as edge lists in the manner of SNAP."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import numpy as np
import polars as pl

from pipeline.statistics import stand_ins
from pipeline.synthetic.drop import describe


def edge_list(name: str, scale: float, seed: int, largest_weight: int) -> str:
    """The text of an edge list: comments, then source, target and weight of each edge."""
    n, edges = stand_ins.make(name, scale, seed, largest_weight)
    leads = "in both directions" if stand_ins.STAND_INS[name].undirected else "in its direction"
    ids = len(np.unique(edges[:, :2]))
    text = io.StringIO()
    text.write(f"# Directed graph: stand-in for {name}, scale {scale:g}, generated with seed {seed}\n")
    text.write(f"# Each edge {leads}; of {n} vertices those with edges\n")
    text.write(f"# Nodes: {ids} Edges: {len(edges)}\n# FromNodeId\tToNodeId\tWeight\n")
    rows = pl.DataFrame(edges, schema=["source", "target", "weight"], orient="row")
    return text.getvalue() + rows.write_csv(include_header=False, separator="\t")


def write_graph(
    folder: Path, *, seed: int = 1, graph: str = "amazon", scale: float = 0.01,
    largest_weight: int = stand_ins.LARGEST_WEIGHT,
) -> None:  # fmt: skip
    """Write a stand-in (a name of `stand_ins.STAND_INS`) as a drop that is read as an edge list."""
    text = edge_list(graph, scale, seed, largest_weight)
    folder.mkdir(parents=True, exist_ok=True)
    with gzip.GzipFile(folder / f"{graph}.txt.gz", "wb", mtime=0) as file:
        file.write(text.encode())
    describe(
        folder,
        {
            "format": "edge_list",
            "kind": "generated",
            "note": f"Stand-in for the graph {graph} of the thesis at scale {scale:g}, seed {seed}; not the real one.",
        },
    )
