"""Graphs as compiled code reads them."""

from __future__ import annotations

import logging

import numpy as np
import polars as pl

from pipeline.simulation.csr import compressed
from pipeline.simulation.table import codes, comparable, require_columns
from pipeline.studies.pim_graph.model.graph import Graph, graph_of

log = logging.getLogger(__name__)


def graph_ids(edges: pl.DataFrame, graphs: pl.DataFrame | None) -> pl.Series:
    """Ids of all graphs that are there. Raises ValueError for missing columns or a graph that is there twice."""
    require_columns(edges, ("graph_id", "source", "target"), "edges")
    if graphs is None:
        return edges["graph_id"].unique().sort()
    require_columns(graphs, ("graph_id", "vertices"), "graphs")
    twice = graphs["graph_id"].is_duplicated()
    if twice.any():
        raise ValueError(f"graphs: graph_id {graphs['graph_id'].filter(twice)[0]!r} occurs twice")
    ids = graphs["graph_id"]
    codes(edges["graph_id"].unique().sort(), ids, "graph of edges")
    return ids


def prepare_graph(graph_id: object, edges: pl.DataFrame, graphs: pl.DataFrame | None) -> Graph:
    """One graph from the rows of the tables `edges` and `graphs`.

    Self loops are left out, and of parallel edges all but one of the least weight, with a line in the log. Raises
    ValueError naming the row where a vertex is not of the graph or a weight is not a positive whole number.
    """
    wanted = pl.lit(graph_id)
    belongs = edges.select(comparable(edges["graph_id"]) == wanted).to_series()
    # Large graphs come alone, and are not copied.
    rows = edges if belongs.all() else edges.filter(belongs)
    weights = rows["weight"].fill_null(1) if "weight" in rows.columns else pl.Series("weight", np.ones(len(rows), int))
    source, target, weight = (_whole(values, belongs) for values in (rows["source"], rows["target"], weights))
    most = max(source.max(initial=-1), target.max(initial=-1)) + 1
    n = most
    if graphs is not None:
        vertices = graphs.filter(comparable(graphs["graph_id"]) == wanted)["vertices"]
        if vertices[0] is not None:
            n = int(_whole(vertices, None)[0])
    if n < 1:
        raise ValueError(f"graph {graph_id!r} has no vertices; it needs at least one")
    for name, ids in (("source", source), ("target", target)):
        bad = np.flatnonzero((ids < 0) | (ids >= n))
        if len(bad):
            row = belongs.arg_true()[int(bad[0])] + 1
            raise ValueError(
                f"edges: {name} is {ids[bad[0]]} in row {row}; vertices of graph {graph_id!r} are 0 to {n - 1}"
            )
    bad = np.flatnonzero(weight < 1)
    if len(bad):
        row = belongs.arg_true()[int(bad[0])] + 1
        raise ValueError(f"edges: weight is {weight[bad[0]]} in row {row}; weights are positive whole numbers")
    first, targets, kept, loops, parallel = compressed(n, source, target, weight)
    if loops or parallel:
        log.info("graph %s: %d self loops and %d parallel edges left out", graph_id, loops, parallel)
    return graph_of(first, targets, kept)


def _whole(values: pl.Series, is_there: pl.Series | None) -> np.ndarray:
    """The values as int64, `is_there`: their rows of `edges`, None: of `graphs`.

    Raises ValueError naming the row of the first that is none.
    """
    numbers = values.cast(pl.Int64, strict=False)
    bad = (numbers.is_null() | (values != numbers)).fill_null(True)
    if bad.any():
        at = bad.arg_true()[0]
        row = (is_there.arg_true()[at] if is_there is not None else at) + 1
        table = "edges" if is_there is not None else "graphs"
        raise ValueError(f"{table}: {values.name} is {values[at]} in row {row}; it must be a whole number")
    return numbers.to_numpy()
