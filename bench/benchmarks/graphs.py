"""BFS and SSSP over PIM stacks at the size of the thesis's Amazon graph, beside scipy's and networkx's."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, dijkstra

from bench.measure import alternating
from bench.peers import Unavailable, networkx
from bench.results import Figure, quotients, rates
from bench.settings import Settings
from pipeline.simulation.csr import compressed
from pipeline.statistics import stand_ins
from pipeline.studies.pim_graph.model.batch import decided
from pipeline.studies.pim_graph.model.cores import Decisions
from pipeline.studies.pim_graph.model.graph import block_of, graph_of
from pipeline.studies.pim_graph.model.queues import room
from pipeline.studies.pim_graph.model.traversal import forward
from pipeline.studies.pim_graph.rules import BFS, CHECKED, SSSP, WORDS, Scenario
from pipeline.studies.pim_graph.schedulers import SCHEDULERS, policies

SCALE, TINY_SCALE = 1.0, 0.01
STACKS = 8
PEER_LIMIT_S = 600.0
POLICIES = ("baseline", "migration_remote", "work_stealing", "migration", "dl_work_stealing")


def run(settings: Settings) -> Iterator[Figure]:
    """Edges a second of policies and of peers' searches; whether levels and distances agree."""
    n, edges = stand_ins.make("amazon", settings.size(SCALE, TINY_SCALE), seed=1)
    first, target, weight, _, _ = compressed(n, *(np.ascontiguousarray(column) for column in edges.T))
    graph = graph_of(first, target, weight)
    state = np.empty(n, graph.weight.dtype)
    none = np.iinfo(state.dtype).max
    space = room(max(1024, graph.most), state)

    def traverse(name: str, algorithm: int = BFS) -> None:
        policy = policies(SCHEDULERS[name])[0]
        costs = (64, 320, 1, 1, 192, 192, False, False, 0)
        scenario = Scenario(
            algorithm, STACKS, block_of(n, STACKS), *costs, CHECKED.index(policy.checked), policy.unique, 0, 320
        )
        kept = (np.zeros((STACKS, WORDS), np.int64), np.ones(1, np.int64), np.zeros(5, np.int64))
        decisions = Decisions(*decided(policy), *kept)
        state[:] = none
        bc = (np.zeros(0), np.zeros(0, np.int32), np.zeros((0, STACKS), np.int64))
        forward(scenario, decisions, graph, 0, 0, state, *bc, space)

    matrix = csr_array((weight.astype(float), target, first), shape=(n, n))
    calls = {name: lambda name=name: traverse(name) for name in POLICIES}
    calls["scipy"] = lambda: breadth_first_order(matrix, 0, return_predecessors=False)
    calls["SSSP"] = lambda: traverse("baseline", SSSP)
    calls["SSSP, scipy"] = lambda: dijkstra(matrix, indices=0)
    times = alternating(calls, settings.runs, time.process_time)
    yield Figure("edges", [len(target)], "edges", f"stand-in of Amazon, {n} vertices; CPU times")
    for name in POLICIES:
        yield rates(name, len(target), times[name], "edges/s")
    yield rates("scipy", len(target), times["scipy"], "edges/s", "breadth_first_order, which simulates nothing")
    yield quotients("baseline / scipy", times["baseline"], times["scipy"], "what simulating 8 stacks costs")
    yield rates("SSSP, baseline", len(target), times["SSSP"], "edges/s")
    yield rates("SSSP, scipy", len(target), times["SSSP, scipy"], "edges/s", "Dijkstra's algorithm")
    yield quotients("SSSP, baseline / scipy", times["SSSP"], times["SSSP, scipy"])
    levels, distances = dijkstra(matrix, indices=0, unweighted=True), dijkstra(matrix, indices=0)
    for name, algorithm, expected in (("levels", BFS, levels), ("distances", SSSP, distances)):
        traverse("baseline", algorithm)
        agree = np.where(np.isinf(expected), state == none, state == expected)
        yield Figure(f"same {name} as scipy", [100 * float(agree.mean())], "%")
    yield from _beside_networkx(settings, edges, levels, times["baseline"], times["SSSP"])


def _beside_networkx(
    settings: Settings, edges: np.ndarray, levels: np.ndarray, bfs_s: Sequence[float], sssp_s: Sequence[float]
) -> Iterator[Figure]:
    """networkx on the same graph, which it has built before its time begins."""
    path = settings.folder("graphs") / "edges.parquet"
    pl.DataFrame(edges, schema=["source", "target", "weight"], orient="row").write_parquet(path)
    try:
        runs = [networkx.run(settings.environments / "networkx", path, PEER_LIMIT_S) for _ in range(settings.long_runs)]
    except (Unavailable, TimeoutError) as reason:
        yield Figure("networkx", [], "edges/s", str(reason))
        return
    for name, taken, ours in (("", [r.bfs_s for r in runs], bfs_s), ("SSSP, ", [r.sssp_s for r in runs], sssp_s)):
        yield rates(f"{name}networkx", len(edges), taken, "edges/s", f"networkx {networkx.VERSION}")
        yield quotients(f"{name}networkx / baseline", taken, ours[: len(taken)])
    reached = int(np.isfinite(levels).sum())
    yield Figure("networkx, reached as scipy", [100 * float(runs[0].reached == reached)], "%", f"{reached} vertices")
