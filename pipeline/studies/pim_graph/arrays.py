"""Graphs as compiled code reads them."""

from __future__ import annotations

import logging

import numpy as np
import polars as pl

from pipeline.simulation.csr import compressed
from pipeline.simulation.table import codes, comparable
from pipeline.studies.pim_graph.model.graph import Graph, graph_of

log = logging.getLogger(__name__)


def graph_ids(edges: pl.DataFrame, graphs: pl.DataFrame | None) -> pl.Series:
    """Ids of all graphs that are there. Raises ValueError for edges of a graph that is not."""
    if graphs is None:
        return edges["graph_id"].unique().sort()
    codes(edges["graph_id"].unique().sort(), graphs["graph_id"], "graph of edges")
    return graphs["graph_id"]


def prepare_graph(graph_id: object, edges: pl.DataFrame, graphs: pl.DataFrame | None) -> Graph:
    """One graph from the rows of the checked tables `edges` and `graphs`.

    Self loops are left out, and of parallel edges all but one of the least weight, with a line in the log. Raises
    ValueError naming the row where a vertex is not of the graph.
    """
    wanted = pl.lit(graph_id)
    belongs = edges.select(comparable(edges["graph_id"]) == wanted).to_series()
    # Large graphs come alone, and are not copied.
    rows = edges if belongs.all() else edges.filter(belongs)
    source, target, weight = (rows[name].cast(pl.Int64).to_numpy() for name in ("source", "target", "weight"))
    most = max(source.max(initial=-1), target.max(initial=-1)) + 1
    n = most
    if graphs is not None:
        vertices = graphs.filter(comparable(graphs["graph_id"]) == wanted)["vertices"]
        if vertices[0] is not None:
            n = int(vertices[0])
    if n < 1:
        raise ValueError(f"graph {graph_id!r} has no vertices; it needs at least one")
    for name, ids in (("source", source), ("target", target)):
        bad = np.flatnonzero(ids >= n)
        if len(bad):
            row = belongs.arg_true()[int(bad[0])] + 1
            raise ValueError(
                f"edges: {name} is {ids[bad[0]]} in row {row}; vertices of graph {graph_id!r} are 0 to {n - 1}"
            )
    first, targets, weights, loops, parallel = compressed(n, source, target, weight)
    if loops or parallel:
        log.info("graph %s: %d self loops and %d parallel edges left out", graph_id, loops, parallel)
    return graph_of(first, targets, weights)
