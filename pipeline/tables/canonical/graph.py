"""Graphs, and the edges that they consist of."""

from __future__ import annotations

import dataframely as dy

from pipeline.tables.columns import count, flag, text


class Graph(dy.Schema):
    """Graphs of the drops: what was read of each."""

    trace = text("trace: the drop's name, or <drop>/<file> where several graphs lie in one")
    vertices = count("vertices, renumbered from 0 in the order of their ids", min=1)
    edges = count("directed edges that were kept; an undirected one counts twice", min=0)
    directed = flag("whether each edge leads one way only; false = it was read as leading both ways")
    weighted = flag("whether the file has weights; otherwise each is 1")
    self_loops = count("self loops that were left out", min=0)
    parallel_edges = count("edges left out because one of no more weight joins the same vertices", min=0)
    least_id = count("least vertex id of the file", nullable=True, min=0)
    most_id = count("largest vertex id of the file", nullable=True, min=0)


class Edge(dy.Schema):
    """Edges of the graphs; they stay in Parquet."""

    trace = text("trace")
    source = count("vertex that it leaves, from 0", min=0)
    target = count("vertex that it leads to, from 0", min=0)
    weight = count("weight", min=1)


class VertexId(dy.Schema):
    """Ids that the vertices have in their files; they stay in Parquet."""

    trace = text("trace")
    vertex = count("vertex, from 0", min=0)
    original_id = count("its id in the file", min=0)


CANONICAL = {"graphs": Graph, "edges": Edge, "vertex_ids": VertexId}
DATABASE_NAME = {"graphs": "graph"}
