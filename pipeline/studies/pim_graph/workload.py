"""What is asked of the machine: graphs, sources, and the scenarios."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from pipeline import tables
from pipeline.runtime.wording import did_you_mean
from pipeline.simulation.csr import compressed
from pipeline.simulation.table import require_known
from pipeline.statistics import stand_ins
from pipeline.statistics.streams import stream
from pipeline.studies.parts import share
from pipeline.studies.pim_graph import STUDY, survey
from pipeline.studies.pim_graph import tables as pim_graph
from pipeline.studies.pim_graph.config import GraphSweep
from pipeline.studies.pim_graph.model.graph import Graph, graph_of
from pipeline.studies.pim_graph.replay import DEFAULTS
from pipeline.studies.pim_graph.schedulers import SCHEDULERS, runs_bc
from pipeline.tables.catalog import content_of
from pipeline.tables.results import scenario_schema

if TYPE_CHECKING:
    from pipeline.config import Configuration

WORKLOADS = tables.polars_schema(pim_graph.PimGraphWorkload)
NEIGHBOURS = tables.polars_schema(pim_graph.PimGraphNeighbours)
EDGES = {"graph_id": pl.String, "source": pl.Int32, "target": pl.Int32, "weight": pl.Int64}
GRAPHS = {"graph_id": pl.String, "vertices": pl.Int64}
SOURCES = {"graph_id": pl.String, "batch": pl.Int64, "sources": pl.List(pl.Int64)}
SCENARIOS = scenario_schema(STUDY)
VARIED = ("stacks", "ql", "qr", "s", "e", "cl", "cd", "queue", "per_task", "mlp", "steal")
"""Columns of the scenario table that sweeps vary."""
ALL = "all"
READING = {"steal": 0}
"""The thesis's reading of an option whose default is another: ids do not mention it, nor reservations once a task."""


@dataclass(frozen=True)
class _Recipe:
    """A graph: what is known of it without making it, and how it is made."""

    graph_id: str
    facts: dict[str, Any]
    vertices: int
    make: Callable[[], tuple[int, np.ndarray]]

    def made(self) -> _Made:
        """The graph; large ones are held no longer than they are needed, so none is kept."""
        n, edges = self.make()
        first, target, weight, _, _ = compressed(n, *(np.ascontiguousarray(column) for column in edges.T))
        graph = graph_of(first, target, weight)
        return _Made(graph, survey.core(graph), edges)


@dataclass(frozen=True)
class _Made:
    """A graph: as compressed rows, the vertices that sources are drawn from, and its edges."""

    graph: Graph
    core: np.ndarray
    edges: np.ndarray


def workloads(config: Configuration, catalog: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Graphs that the sweeps of the configuration need.

    `catalog` holds the canonical tables of all drops (traces, graphs, edges). Returns `edges` and `graphs` as `replay`
    takes them; `workloads`, one row per graph; `neighbours`, where the neighbours of each level lie; `sources`, drawn
    for all sweeps, so that `scenarios` need not make the graphs again.
    """
    source = _Source(config, catalog)
    edges, graphs, described, near, drawn = [], [], [], [], []
    for graph_id in sorted(source.recipes):
        made = source.recipes[graph_id].made()
        n = len(made.graph.first) - 1
        sources = source.draw(graph_id, made.core)
        drawn += [
            {"graph_id": graph_id, "batch": b, "sources": drawn_roots.tolist()} for b, drawn_roots in enumerate(sources)
        ]
        depth = survey.depths(made.graph, int(sources[0][0]))
        columns = dict(zip(("source", "target", "weight"), made.edges.T, strict=True))
        edges.append(pl.DataFrame(columns).select(pl.lit(graph_id).alias("graph_id"), *columns).cast(EDGES))
        graphs.append({"graph_id": graph_id, "vertices": n})
        degree = np.diff(made.graph.first)
        described.append(
            dict.fromkeys(WORKLOADS)
            | source.recipes[graph_id].facts
            | {
                "workload_id": graph_id, "vertices": n, "edges": len(made.graph.target), "degree": float(degree.mean()),
                "most_degree": int(degree.max()), "core_share": len(made.core) / n, "depth": int(depth.max()),
                "local_share": survey.local_share(made.graph),
            }
        )  # fmt: skip
        near.append(
            survey.neighbours(made.graph, depth)
            .select(pl.lit(graph_id).alias("workload_id"), *list(NEIGHBOURS)[1:])
            .cast(NEIGHBOURS)
        )
    return {
        "edges": pl.concat([pl.DataFrame(schema=EDGES), *edges]),
        "graphs": pl.DataFrame(graphs, schema=GRAPHS),
        "workloads": pl.DataFrame(described, schema=WORKLOADS),
        "neighbours": pl.concat([pl.DataFrame(schema=NEIGHBOURS), *near]),
        "sources": pl.DataFrame(drawn, schema=SOURCES),
    }


def scenarios(config: Configuration, catalog: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Scenario table of the configuration: every sweep, each scenario once, sorted by id.

    The catalog may hold `sources` of `workloads`; without them the graphs are made to draw sources from.
    """
    source = _Source(config, catalog)
    rows: dict[str, dict] = {}
    for sweep in _sweeps(config):
        for recipe in source.of_sweep(sweep):
            for row in _rows(sweep, recipe.graph_id, source):
                rows[row["scenario_id"]] = row
    return pl.DataFrame([rows[key] for key in sorted(rows)], schema=SCENARIOS)


def part(config: Configuration, catalog: Mapping[str, pl.DataFrame], drop: str | None) -> Configuration:
    """The configuration's share that depends on the graphs of one drop; None: the stand-ins.

    Raises ValueError where a sweep names a graph that is in no drop of the catalog.
    """
    traces = catalog["traces"] if "traces" in catalog else tables.empty(tables.Trace)
    graphs = catalog["graphs"]["trace"].to_list() if "graphs" in catalog else []
    takes, possible = lambda sweep: sweep.workload == "dropped", lambda _: graphs
    return share(config, "pim_graph", drop, traces, takes_traces=takes, possible=possible)


class _Source:
    """Graphs of the configuration by id, and their sources."""

    def __init__(self, config: Configuration, catalog: Mapping[str, pl.DataFrame]) -> None:
        self.seed = config.seed
        self.catalog = {name: tables.empty(schema) for name, schema in tables.CANONICAL.items()} | dict(catalog)
        self.recipes, self._wanted = {}, {}
        for sweep in _sweeps(config):
            counts = [count for count in sweep.roots if count != ALL] if "bc" in sweep.algorithms else []
            for recipe in self.of_sweep(sweep):
                self.recipes[recipe.graph_id] = recipe
                batches, most = self._wanted.get(recipe.graph_id, (0, 1))
                self._wanted[recipe.graph_id] = (max(batches, sweep.batches), max(most, *counts, 1))
        drawn = catalog.get("sources", pl.DataFrame(schema=SOURCES))
        self._drawn: dict[str, list[np.ndarray]] = {}
        for graph_id, _, sources in drawn.sort("graph_id", "batch").iter_rows():
            self._drawn.setdefault(graph_id, []).append(np.array(sources))

    def of_sweep(self, sweep: GraphSweep) -> list[_Recipe]:
        """Graphs of a sweep."""
        if sweep.workload == "dropped":
            known = self.catalog["graphs"]["trace"].to_list()
            for trace in sweep.traces or []:
                if trace not in known:
                    raise ValueError(f"pim_graph: no graph {trace!r} was dropped{did_you_mean(trace, known)}")
            chosen = known if sweep.traces is None else sweep.traces
            return [self._dropped(trace, sweep.seeded_weights) for trace in chosen]
        return [self._stand_in(name, sweep.scale, sweep.largest_weight, sweep.far) for name in sweep.graphs]

    def sources(self, graph_id: str, batch: int, count: int | str) -> np.ndarray:
        """Sources of a batch: one of the core; several of all vertices, among those of a larger count; or all."""
        if count == ALL:
            return np.arange(self.recipes[graph_id].vertices)
        if graph_id not in self._drawn:
            self._drawn[graph_id] = self.draw(graph_id, self.recipes[graph_id].made().core)
        drawn = self._drawn[graph_id][batch]
        return drawn[:1] if count == 1 else drawn[1 : 1 + count]

    def draw(self, graph_id: str, core: np.ndarray) -> list[np.ndarray]:
        """Sources of each batch: one of the graph's core, then as many distinct vertices as the sweeps take.

        These are of all vertices, since their mean estimates the sum over every vertex.
        """
        batches, most = self._wanted[graph_id]
        trace = self.recipes[graph_id].facts.get("trace")
        name = graph_id if trace is None else content_of(self.catalog, trace)
        streams = (stream(self.seed, "pim_graph source", name, batch) for batch in range(batches))
        vertices = self.recipes[graph_id].vertices
        several = 0 if most == 1 else min(most, vertices)
        return [
            np.concatenate([core[random.integers(0, len(core), 1)], random.permutation(vertices)[:several]])
            for random in streams
        ]

    def _stand_in(self, name: str, scale: float, largest_weight: int, far: float | None) -> _Recipe:
        own = "" if largest_weight == stand_ins.LARGEST_WEIGHT else f"-w{largest_weight}"
        own += "" if far is None else f"-far{far:.12g}"
        facts = {"graph": name, "kind": "stand_in", "origin": tables.GENERATED, "scale": scale,
                 "undirected": stand_ins.STAND_INS[name].undirected, "largest_weight": largest_weight,
                 "far": far}  # fmt: skip
        make = partial(stand_ins.make, name, scale, self.seed, largest_weight, far)
        return _Recipe(f"stand_in/{name}-{scale:.12g}{own}", facts, stand_ins.vertices(name, scale), make)

    def _dropped(self, trace: str, largest_weight: int | None) -> _Recipe:
        row = self.catalog["graphs"].row(by_predicate=pl.col("trace") == trace, named=True)
        origin = self.catalog["traces"].filter(pl.col("trace") == trace)["kind"][0]
        seeded = largest_weight is not None and not row["weighted"]
        name = f"{trace}-w{largest_weight}" if seeded else trace
        facts = {"graph": name, "kind": "dropped", "origin": origin, "trace": trace}
        facts["undirected"] = not row["directed"]

        def make() -> tuple[int, np.ndarray]:
            edges = self.catalog["edges"].filter(pl.col("trace") == trace)
            edges = edges.select("source", "target", "weight").to_numpy()
            if seeded:
                random = stream(self.seed, "pim_graph weights", content_of(self.catalog, trace))
                edges[:, 2] = _weights(edges, largest_weight, not row["directed"], random)
            return row["vertices"], edges

        return _Recipe(f"dropped/{name}", facts, row["vertices"], make)


def _weights(edges: np.ndarray, largest: int, both_ways: bool, random: np.random.Generator) -> np.ndarray:
    """Weights from 1 to largest of edges (source, target, …); both ways: an edge and its reverse have the same."""
    pairs = np.sort(edges[:, :2], axis=1) if both_ways else edges[:, :2]
    _, which = np.unique(pairs, axis=0, return_inverse=True)
    return random.integers(1, largest + 1, len(edges))[which.ravel()]


def _sweeps(config: Configuration) -> list[GraphSweep]:
    return [sweep for sweep in config.pim_graph.sweeps.values() if sweep is not None]


def _runs(sweep: GraphSweep) -> Iterator[tuple[str, int, int | str]]:
    """Algorithm, batch and number of roots of a sweep; every vertex as a root is one batch."""
    for algorithm, batch in itertools.product(sweep.algorithms, range(sweep.batches)):
        for count in sweep.roots if algorithm == "bc" else [1]:
            if count != ALL or batch == 0:
                yield algorithm, batch, count


def _rows(sweep: GraphSweep, graph_id: str, source: _Source) -> Iterator[dict]:
    """Scenarios of a sweep on one graph; a column varies where it makes a difference."""
    if sweep.schedulers is not None:
        require_known(pl.Series(sweep.schedulers), SCHEDULERS, "scheduler")
    names = sorted(SCHEDULERS) if sweep.schedulers is None else sweep.schedulers
    for algorithm, batch, count in _runs(sweep):
        root = source.sources(graph_id, batch, count).tolist()
        able = [name for name in names if algorithm != "bc" or runs_bc(SCHEDULERS[name])]
        for name, *values in itertools.product(able, *(getattr(sweep, option) for option in VARIED)):
            options = dict(zip(VARIED, values, strict=True))
            if options["ql"] > options["qr"]:
                continue
            options["per_task"] = options["per_task"] and options["queue"] == "software"
            usual = DEFAULTS | READING | {"per_task": options["queue"] == "software"}
            own = "".join(f"-{k}:{v}" for k, v in options.items() if k not in ("stacks", "qr") and v != usual[k])
            own += f"-roots:{count}" if count != 1 else ""
            at = f"{algorithm}/p{options['stacks']}-qr{options['qr']}{own}/b{batch:02d}"
            yield {
                "scenario_id": f"pim_graph/{graph_id}/{name}/{at}",
                "scheduler": name,
                "seed": batch,
                "workload_id": graph_id,
                "graph_id": graph_id,
                "algorithm": algorithm,
                "root": root,
                **DEFAULTS,
                **options,
            }
