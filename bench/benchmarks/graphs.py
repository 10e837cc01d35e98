"""BFS over PIM stacks at the size of the thesis's Amazon graph, beside scipy's, and reading it as an edge list."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import polars as pl
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from bench.measure import alternating
from bench.results import Figure, quotients, rates
from bench.settings import Settings
from pipeline import ingest, stand_ins
from pipeline.csr import compressed
from pipeline.studies.pim_graph import model
from pipeline.studies.pim_graph.forward import forward
from pipeline.studies.pim_graph.queues import room
from pipeline.studies.pim_graph.schedulers import SCHEDULERS

SCALE, TINY_SCALE = 1.0, 0.01
STACKS = 8
POLICIES = ("baseline", "migration_remote", "work_stealing", "migration", "dl_work_stealing")


def run(settings: Settings) -> Iterator[Figure]:
    """Edges a second of policies and of scipy's search; whether the levels agree; edges a second of the reader."""
    n, edges = stand_ins.make("amazon", settings.size(SCALE, TINY_SCALE), seed=1)
    first, target, weight, _, _ = compressed(n, *(np.ascontiguousarray(column) for column in edges.T))
    graph = model.graph_of(first, target, weight)
    cost = model.Cost(64, 320, 1, 1, 192, 192, False, False, 0)
    state = np.empty(n, graph.weight.dtype)
    none = np.iinfo(state.dtype).max
    space = room(1024, state)

    def traverse(name: str) -> None:
        state[:] = none
        bc = (np.zeros(0), np.zeros(0, np.int32), np.zeros((0, STACKS), np.int64))
        forward(model.BFS, SCHEDULERS[name].POLICY, cost, STACKS, graph, 0, 0, np.arange(STACKS), state, *bc, space)

    matrix = csr_array((np.ones(len(target)), target, first), shape=(n, n))
    calls = {name: lambda name=name: traverse(name) for name in POLICIES}
    calls["scipy"] = lambda: dijkstra(matrix, indices=0, unweighted=True)
    times = alternating(calls, settings.runs, time.process_time)
    yield Figure("edges", [len(target)], "edges", f"stand-in of Amazon, {n} vertices; CPU times")
    for name in POLICIES:
        yield rates(name, len(target), times[name], "edges/s")
    yield quotients("scipy / baseline", times["scipy"], times["baseline"])
    levels = dijkstra(matrix, indices=0, unweighted=True)
    traverse("baseline")
    agree = np.where(np.isinf(levels), state == none, state == levels)
    yield Figure("same levels as scipy", [100 * float(agree.mean())], "%")

    folder = settings.folder("graphs") / "amazon"
    folder.mkdir(parents=True, exist_ok=True)
    pl.DataFrame(edges, schema=["source", "target", "weight"], orient="row").write_csv(
        folder / "amazon.txt", include_header=False, separator="\t"
    )
    read_s = alternating({"": lambda: ingest.ingest(folder, folder.parent / "read")}, settings.runs, time.process_time)
    yield rates("edge list", len(edges), read_s[""], "edges/s", "text to Parquet, sorted, no parallel edges")
