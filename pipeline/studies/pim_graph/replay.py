"""Run a batch of scenarios."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from pipeline.simulation.table import checked, checked_inputs, codes, comparable, metrics_of
from pipeline.studies.pim_graph import STUDY, arrays, rules, trial
from pipeline.studies.pim_graph.inputs import GRAPHS, INPUTS
from pipeline.studies.pim_graph.model import batch, traversal
from pipeline.studies.pim_graph.rules import Policy, Scenario
from pipeline.studies.pim_graph.schedulers import SCHEDULERS, policies, runs_bc

DEFAULTS = STUDY.defaults
"""Columns of the scenario table that may be left out, with what they are then."""

ALGORITHMS = {"bfs": rules.BFS, "sssp": rules.SSSP, "bc": rules.BC}
ENERGY_RATIOS = (1, 5, 10)
LARGEST_BLOCK = 1 << 26
"""Values (scenarios times vertices) that are held at a time."""


def replay(inputs: dict[str, Any], scenarios: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Replay traversals of graphs on stacks of memory that compute.

    inputs: `edges` (graph_id, source, target, [weight 1]; vertices are numbered from 0), [`graphs` (graph_id,
    vertices); absent: vertices up to the largest that an edge names], [`return_values` True].
    scenarios: scenario_id, scheduler, graph_id, algorithm bfs | sssp | bc, stacks, root (a vertex, or of bc a list),
    and the columns of DEFAULTS (docs/models/pim_graph.md).

    Returns `outcomes` (scenario_id, level, cycles, tasks, enqueues), `metrics` (scenario_id, metric, value), and on
    demand `values` (scenario_id, vertex, value; null = not reached), sorted by scenario.

    Raises ValueError naming an unknown scheduler, graph, algorithm, option or root, a missing table or column, or a
    value out of range, and RuntimeError where a traversal's values are not right.
    """
    inputs = checked_inputs(inputs, INPUTS | (GRAPHS if "graphs" in inputs else {}))
    edges, graphs = inputs["edges"], inputs.get("graphs")
    scenarios = _checked(scenarios)
    ids = arrays.graph_ids(edges, graphs)
    of_graph = codes(scenarios["graph_id"], ids, "graph") if len(scenarios) else np.empty(0, np.int64)
    wants_values = bool(inputs.get("return_values", False))
    results = _Results(scenarios["scenario_id"], edges["source"].dtype)
    for code in np.unique(of_graph):
        graph = arrays.prepare_graph(comparable(ids)[int(code)], edges, graphs)
        places = np.flatnonzero(of_graph == code)
        n = len(graph.first) - 1
        size = max(1, LARGEST_BLOCK // n) if wants_values else max(1, len(places))
        for start in range(0, len(places), size):
            _run(graph, ids[int(code)], scenarios, places[start : start + size], wants_values, results)
    return results.tables(wants_values)


def _checked(scenarios: pl.DataFrame) -> pl.DataFrame:
    """Scenarios with defaults, in the order of their ids; every option known."""
    scenarios = checked(scenarios, STUDY, SCHEDULERS).with_columns(
        pl.coalesce(pl.col("cd").cast(pl.Int64), "cl").alias("cd"),
        pl.coalesce(pl.col("steal").cast(pl.Int64), "qr").alias("steal"),
        pl.col("stacks").cast(pl.Int64),
    )
    _refuse(
        scenarios, pl.col("qr") < pl.col("ql"), "has qr < ql; a remote access takes at least as long as a local one"
    )
    eager = [name for name, scheduler in SCHEDULERS.items() if runs_bc(scheduler)]
    _refuse(
        scenarios,
        (pl.col("algorithm") == "bc") & ~pl.col("scheduler").is_in(eager),
        f"asks for bc of a scheduler that checks neighbours late; those that run it: {', '.join(eager)}",
    )
    return scenarios


def _refuse(scenarios: pl.DataFrame, bad: pl.Expr, why: str) -> None:
    refused = scenarios.filter(bad)["scenario_id"]
    if len(refused):
        raise ValueError(f"scenarios: scenario {refused[0]!r} {why}")


def _roots(scenarios: pl.DataFrame, vertices: int, graph_id: object) -> tuple[np.ndarray, np.ndarray]:
    """Where each scenario's roots begin, and the roots of all. Raises ValueError for one that is no vertex."""
    given = scenarios["root"]
    lists = given if given.dtype == pl.List else given.reshape((-1, 1)).arr.to_list()
    if isinstance(given.dtype, pl.Array):
        lists = given.arr.to_list()
    count = lists.list.len().to_numpy().astype(np.int64)
    for s in np.flatnonzero((count == 0) | ((count > 1) & (scenarios["algorithm"] != "bc").to_numpy())):
        roots_given = f"{count[s]} roots for {scenarios['algorithm'][int(s)]}"
        raise ValueError(
            f"scenarios: scenario {scenarios['scenario_id'][int(s)]!r} has {roots_given}; bc takes a list, others one"
        )
    roots = lists.explode()
    owner = np.repeat(np.arange(len(count)), count)
    whole = roots.cast(pl.Int64, strict=False)
    bad = (whole.is_null() | (roots != whole) | (whole < 0) | (whole >= vertices)).fill_null(True)
    if bad.any():
        at = bad.arg_true()[0]
        scenario = scenarios["scenario_id"][int(owner[at])]
        raise ValueError(
            f"scenarios: root {roots[at]} of {scenario!r} is no vertex of graph {graph_id!r}, whose vertices are 0 to "
            f"{vertices - 1}"
        )
    return np.concatenate([[0], np.cumsum(count)]), whole.to_numpy()


def _run(graph, graph_id, scenarios: pl.DataFrame, places: np.ndarray, wants_values: bool, results: _Results) -> None:
    """Run the scenarios at some places of the table, all of one graph, and add their results."""
    rows = scenarios[places]
    n = len(graph.first) - 1
    first_root, roots = _roots(rows, n, graph_id)
    stacks = pl.col("stacks")
    asked = rows.with_columns(
        pl.col("algorithm").replace_strict(ALGORITHMS, return_dtype=pl.Int64),
        block=pl.max_horizontal(1, (n + stacks - 1) // stacks),
        software=pl.col("queue") == "software",
        checked=0,
        unique=0,
    )
    asked = np.column_stack([asked[name].cast(pl.Int64).to_numpy() for name in Scenario._fields])
    for policy, of in _by_policy(graph, rows["scheduler"].to_list(), asked).items():
        effective = batch.effective(policy, asked[of])
        of_scenario = [roots[first_root[s] : first_root[s + 1]] for s in of]
        run, copy_of = _distinct(effective, of_scenario)
        shape = (len(run), n) if wants_values else (0, n)
        reached, value = np.zeros(shape, np.bool_), np.zeros(shape)
        run_roots = [of_scenario[s] for s in run]
        starts = np.concatenate([[0], np.cumsum([len(of_run) for of_run in run_roots])])
        names = [(rows["scenario_id"][int(s)], rows["scheduler"][int(s)]) for s in of[run]]
        totals, levels = batch.run(
            graph, policy, effective[run], starts, np.concatenate(run_roots), reached, value,
            named=lambda s, names=names: f"scenario {names[s][0]!r} ({names[s][1]}) on graph {graph_id!r}",
        )  # fmt: skip
        if wants_values:
            reached, value = reached[copy_of], value[copy_of]
        stacks_of = effective[:, Scenario._fields.index("stacks")]
        results.add(places[of], totals[copy_of], stacks_of, _copied(levels, copy_of, len(run)), reached, value)


def _by_policy(graph, schedulers: list[str], asked: np.ndarray) -> dict[Policy, np.ndarray]:
    """Scenarios by policy: the scheduler's own, or that of its candidates which a trial prefers."""
    chosen: dict[tuple, Policy] = {}
    grouped: dict[Policy, list[int]] = {}
    for s, name in enumerate(schedulers):
        candidates = policies(SCHEDULERS[name])
        policy = candidates[0]
        if len(candidates) > 1:
            scenario = Scenario(*asked[s].tolist())._replace(seed=0)
            if (name, scenario) not in chosen:
                chosen[name, scenario] = trial.fastest(candidates, graph, scenario, name)
            policy = chosen[name, scenario]
        grouped.setdefault(policy, []).append(s)
    return {policy: np.array(of) for policy, of in grouped.items()}


def _distinct(effective: np.ndarray, roots: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Scenarios to run, those of an algorithm and root together, and for every scenario the index of its duplicate."""
    keys = [(int(row[0]), *of.tolist(), *row.tolist()) for row, of in zip(effective, roots, strict=True)]
    first_row = {key: s for s, key in reversed(list(enumerate(keys)))}
    place = {key: k for k, key in enumerate(sorted(first_row))}
    return np.array([first_row[key] for key in place]), np.array([place[key] for key in keys])


def _copied(levels: np.ndarray, copy_of: np.ndarray, ran: int) -> np.ndarray:
    """Levels of all scenarios from those that were run, which stand one after another; first column: the scenario."""
    first = np.searchsorted(levels[:, 0], np.arange(ran + 1))
    rows = [np.arange(first[k], first[k + 1]) for k in copy_of]
    copied = levels[np.concatenate(rows)]
    copied[:, 0] = np.repeat(np.arange(len(copy_of)), [len(of) for of in rows])
    return copied


class _Results:
    """Result tables of the scenarios that were run."""

    def __init__(self, scenario_id: pl.Series, vertex: pl.DataType) -> None:
        self._id = scenario_id
        self._vertex = vertex
        self._metrics: list[tuple[np.ndarray, np.ndarray]] = []
        self._outcomes: list[np.ndarray] = []
        self._values: list[pl.DataFrame] = []

    def add(self, places, totals, stacks, levels, reached, value) -> None:
        """Take the results of the scenarios at these places, in the order of ids."""
        local, remote = totals[:, batch.LOCAL_WORDS], totals[:, batch.REMOTE_WORDS]
        busy = totals[:, traversal.ALL_BUSY]
        imbalance = np.divide(
            stacks * totals[:, traversal.MOST_BUSY], busy, out=np.full(len(busy), np.nan), where=busy > 0
        )
        columns = [
            totals[:, traversal.CYCLES], local, remote, *(local + ratio * remote for ratio in ENERGY_RATIOS), imbalance,
            totals[:, batch.LEVELS], totals[:, traversal.TASKS], totals[:, traversal.ENQUEUES],
        ]  # fmt: skip
        self._metrics.append((places, np.column_stack(columns).astype(float)))
        levels[:, 0] = places[levels[:, 0]]
        self._outcomes.append(levels)
        for i in range(len(value)):
            n = value.shape[1]
            self._values.append(
                pl.DataFrame(
                    {
                        "scenario": np.full(n, places[i]),
                        "vertex": np.arange(n),
                        "value": pl.select(
                            pl.when(pl.Series(reached[i])).then(pl.Series(value[i])).otherwise(None)
                        ).to_series(),
                    }
                )
            )

    def tables(self, wants_values: bool) -> dict[str, pl.DataFrame]:
        """The tables that `replay` returns."""
        levels = np.concatenate([np.empty((0, 5), np.int64), *self._outcomes])
        levels = levels[np.lexsort((levels[:, 1], levels[:, 0]))]
        names = ("level", "cycles", "tasks", "enqueues")
        outcomes = pl.DataFrame(
            {"scenario_id": self._named(levels[:, 0]), **{name: levels[:, k + 1] for k, name in enumerate(names)}}
        )
        order = np.concatenate([np.empty(0, np.int64), *(places for places, _ in self._metrics)])
        value = np.concatenate([np.empty((0, len(STUDY.metrics))), *(values for _, values in self._metrics)])
        place = np.argsort(order)
        metrics = metrics_of(self._named(order[place]), STUDY.metrics, value[place])
        tables = {"outcomes": outcomes, "metrics": metrics}
        if wants_values:
            empty = pl.DataFrame(schema={"scenario": pl.Int64, "vertex": pl.Int64, "value": pl.Float64})
            values = pl.concat([empty, *self._values]).sort("scenario", "vertex")
            tables["values"] = values.select(
                self._named(values["scenario"].to_numpy()).alias("scenario_id"),
                pl.col("vertex").cast(self._vertex),
                "value",
            )
        return tables

    def _named(self, scenario: np.ndarray) -> pl.Series:
        return self._id.gather(scenario)
