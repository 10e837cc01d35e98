"""Workloads and results of pim_graph."""

from __future__ import annotations

import dataframely as dy

from pipeline.tables.columns import count, flag, number, text


class PimGraphWorkload(dy.Schema):
    """Graphs that pim_graph traverses: what they are and where they come from."""

    workload_id = text("graph, as graph_id of scenario")
    graph = text("road, amazon, pokec or google of a stand-in, else the trace")
    kind = text("stand_in (generated in the likeness of the thesis's graph) or dropped")
    origin = text("generated or measured")
    trace = text("trace that it comes from; null for stand-ins", nullable=True)
    scale = number("vertices over those of the graph that is stood in for", "1", nullable=True)
    largest_weight = count("largest weight of an edge of a stand-in", min=1, nullable=True)
    far = number("share of the edges of a stand-in that lead far, where not as usual", "1", nullable=True)
    vertices = count("vertices", min=1)
    edges = count("directed edges", min=0)
    undirected = flag("whether every edge stands there in both directions")
    degree = number("mean out-degree", "1", min=0)
    most_degree = count("largest out-degree", min=0)
    local_share = number("share of the edges that stay on their stack, on 4 stacks", "1", nullable=True)
    core_share = number(
        "share of the vertices in the largest strongly connected component, where sources are drawn", "1"
    )
    depth = count("levels below the source of batch 0", min=0)


class PimGraphNeighbours(dy.Schema):
    """Where the neighbours of the vertices of a level lie, on 4 stacks, from the source of batch 0."""

    workload_id = text("graph")
    level = count("distance from the source", min=0)
    stack = count("stack on which the vertices lie, from 0", min=0)
    neighbour_stack = count("stack on which their neighbours lie, from 0", min=0)
    neighbours = count("neighbours, over all vertices of the level on the stack", min=0)


class PimGraphOutcome(dy.Schema):
    """Levels of each scenario of pim_graph; of BC the forward pass, summed over its roots."""

    scenario_id = text("scenario")
    level = count("level, from 0: distance from the root in edges", min=0)
    cycles = count("time from barrier to barrier", unit="cycles", min=0)
    tasks = count("elements dequeued, discarded ones among them", min=0)
    enqueues = count("elements enqueued, rejected duplicates among them", min=0)


RESULTS = {
    "workload_pim_graph": PimGraphWorkload,
    "neighbours_pim_graph": PimGraphNeighbours,
    "outcome_pim_graph": PimGraphOutcome,
}
FILES = {
    "outcome_pim_graph": ("replay", "outcomes"),
    "workload_pim_graph": ("scenarios", "workloads"),
    "neighbours_pim_graph": ("scenarios", "neighbours"),
}
"""For each of its tables in the database the stage whose folders hold the rows, and the files' stem."""
KEYS = {
    "workload_pim_graph": ("workload_id",),
    "neighbours_pim_graph": ("workload_id", "level", "stack", "neighbour_stack"),
    "outcome_pim_graph": ("scenario_id", "level"),
}
"""Columns that identify a row of each table."""
