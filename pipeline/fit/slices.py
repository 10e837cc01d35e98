"""Fewest slices of partitioned GPUs that serve a set of models at their rates and in time.

The optimum is an integer program over the slices of each model and the whole layouts of a GPU. The heuristic follows
the two steps of ParvaGPU (Lee et al., SC 2024; its configurator and allocator): the slice with the most rate a seventh
for each model and the least for the rest, then the largest first into the first GPU with room.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

import numpy as np
import polars as pl
import scipy

from pipeline import tables
from pipeline.gpus.mig import MIG_OFFERS, MIG_SLICES, MIG_TAKES, whole_layouts

log = logging.getLogger(__name__)

IN_SERVICE = 0.45
"""Share of the longest time that a batch may be in service: it waits as long for the one before it, and a tenth is kept
back (ParvaGPU, `configurator.c`)."""
TOLERANCE = 1e-6
"""Relative, of rates: that of the solver."""
NODE_LIMIT = 50_000
"""Nodes of the search after which no optimum is given: the same on every machine."""
METHODS = ("whole_gpus", "single_process", "heuristic", "optimum")
TABLES = ("slice_needs", "slice_plans")
SIZES = np.array(MIG_SLICES)


@dataclass(frozen=True)
class Options:
    """Ways to run models on a slice, one an index: model, position in MIG_SLICES, processes, rate (1/s) and row."""

    model: np.ndarray
    size: np.ndarray
    processes: np.ndarray
    rate: np.ndarray
    row: np.ndarray

    def __getitem__(self, which: np.ndarray) -> Options:
        return Options(*(values[which] for values in (self.model, self.size, self.processes, self.rate, self.row)))


def options_of(points: pl.DataFrame, demand: pl.DataFrame) -> Options:
    """Of each model, slice and number of processes the batch with the most rate in time, if fewer processes have less.

    points: slice_points; demand: app, latency_s, the model being the row.
    """
    asked = demand.select("app", bound=pl.col("latency_s") * IN_SERVICE).with_row_index("model")
    best = (
        points.with_row_index("row")
        .join(asked, on="app", maintain_order="left")
        .filter(pl.col("rate_per_s").is_not_null(), pl.col("latency_s") <= pl.col("bound").fill_null(np.inf))
        .filter(pl.col("slices").is_in(MIG_SLICES))
        .sort("model", "slices", "processes", "rate_per_s", "batch", descending=[False, False, False, True, False])
        .unique(["model", "slices", "processes"], keep="first", maintain_order=True)
        .with_columns(most=pl.col("rate_per_s").cum_max().shift(1).over("model", "slices"))
        .filter((pl.col("rate_per_s") > pl.col("most")).fill_null(True))
    )
    size = np.searchsorted(SIZES, best["slices"].to_numpy())
    return Options(
        *(best["model"].to_numpy(), size), *(best[name].to_numpy() for name in ("processes", "rate_per_s", "row"))
    )


def optimum(options: Options, rates: np.ndarray) -> tuple[np.ndarray, list[list[int]]] | None:
    """How often each option is taken, and the options of each GPU: fewest GPUs, then sevenths, then processes.

    rates: what each model has to serve (1/s); each has an option. None where the search ends without an optimum.
    """
    layouts = np.array(whole_layouts())
    n, k = len(options.rate), len(layouts)
    served = np.zeros((len(rates), n + k))
    served[options.model, np.arange(n)] = options.rate / rates[options.model]
    placed = np.zeros((len(SIZES), n + k))
    placed[options.size, np.arange(n)] = 1
    placed[:, n:] = -layouts.T
    constraints = [
        scipy.optimize.LinearConstraint(served, lb=1.0),
        scipy.optimize.LinearConstraint(placed, ub=0.0),
    ]
    goals = np.zeros((3, n + k))
    goals[0, n:] = 1
    goals[1, :n] = SIZES[options.size]
    goals[2, :n] = options.processes
    x = None
    for goal in goals:
        solution = scipy.optimize.milp(goal, constraints=constraints, integrality=np.ones(n + k),
                                       options={"mip_rel_gap": 0.0, "node_limit": NODE_LIMIT})  # fmt: skip
        if solution.status != 0 or solution.x is None:
            return None
        x = np.rint(solution.x).astype(np.int64)
        constraints.append(scipy.optimize.LinearConstraint(goal[None], ub=float(goal @ x)))
    return x[:n], _placed(options, x[:n], layouts, x[n:])


def _placed(options: Options, taken: np.ndarray, layouts: np.ndarray, used: np.ndarray) -> list[list[int]]:
    """The options of each GPU, into whose layout they go in their order."""
    waiting = [[i for i in np.flatnonzero(options.size == size) for _ in range(taken[i])] for size in range(len(SIZES))]
    gpus = []
    for layout in np.repeat(layouts, used, axis=0):
        gpu = [waiting[size].pop(0) for size in range(len(SIZES))[::-1] for _ in range(layout[size]) if waiting[size]]
        if gpu:
            gpus.append(gpu)
    return gpus


def heuristic(options: Options, rates: np.ndarray) -> tuple[np.ndarray, list[list[int]]]:
    """As optimum, by the best slice of each model and first fit."""
    taken = np.zeros(len(options.rate), dtype=np.int64)
    for model, rate in enumerate(rates):
        own_options = np.flatnonzero(options.model == model)
        a_seventh = options.rate[own_options] / SIZES[options.size[own_options]]
        best = own_options[a_seventh.argmax()]
        times = max(0, int(np.floor(rate * (1 - TOLERANCE) / options.rate[best])))
        taken[best] += times
        rest = rate - times * options.rate[best]
        if rest > TOLERANCE * rate:
            enough = own_options[options.rate[own_options] >= rest * (1 - TOLERANCE)]
            taken[enough[0] if len(enough) else best] += 1
    queue = [i for i in np.argsort(-options.size, kind="stable") for _ in range(taken[i])]
    gpus: list[list[int]] = []
    room: list[int] = []
    for option in queue:
        takes = MIG_TAKES[options.size[option]]
        place = next((gpu for gpu, left in enumerate(room) if left >= takes), None)
        if place is None:
            place = len(gpus)
            gpus.append([])
            room.append(MIG_OFFERS)
        gpus[place].append(option)
        room[place] -= takes
    return taken, gpus


def whole_gpus(options: Options, rates: np.ndarray) -> tuple[np.ndarray, list[list[int]]] | None:
    """As optimum, each model on GPUs of its own that are not sliced; None where one is not served so."""
    taken = np.zeros(len(options.rate), dtype=np.int64)
    for model, rate in enumerate(rates):
        own_options = np.flatnonzero((options.model == model) & (options.size == len(SIZES) - 1))
        if not len(own_options):
            return None
        best = own_options[options.rate[own_options].argmax()]
        times = int(np.ceil(rate * (1 - TOLERANCE) / options.rate[best]))
        # Of those that need as many GPUs, the fewest processes.
        enough = own_options[times * options.rate[own_options] >= rate * (1 - TOLERANCE)]
        taken[enough[0]] = times
    return taken, [[i] for i in np.repeat(np.arange(len(taken)), taken)]


def choose(options: Options, rates: np.ndarray, method: str) -> tuple[np.ndarray, list[list[int]]] | None:
    """The options of each GPU by one of METHODS; None where a model is not served, or no optimum was found."""
    if method == "single_process":
        options = options[options.processes == 1]
        if len(np.unique(options.model)) < len(rates):
            return None
        return optimum(options, rates)
    return {"whole_gpus": whole_gpus, "heuristic": heuristic, "optimum": optimum}[method](options, rates)


def needs(points: pl.DataFrame, demands: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Tables slice_needs and slice_plans of slice_points and slice_demands, trace by trace and set by set."""
    by_table = {name: [tables.empty(tables.CANONICAL[name])] for name in TABLES}
    for (trace_id, name), of_set in demands.group_by("trace", "demand", maintain_order=True):
        asked = of_set.sort("app")
        own_points = points.filter(pl.col("trace") == trace_id)
        options = options_of(own_points, asked)
        served = np.isin(np.arange(len(asked)), options.model)
        unmet = ", ".join(asked["app"].filter(~served)) or None
        rates = asked["rate_per_s"].to_numpy()
        for method in METHODS:
            chosen = None if unmet else choose(options, rates, method)
            if chosen is None and not unmet and method == "optimum":
                log.warning("%s: no optimum of %s within %d nodes", trace_id, name, NODE_LIMIT)
            of = options[options.processes == 1] if method == "single_process" else options
            gpus = chosen[1] if chosen else []
            plan = _plan(own_points, of, gpus)
            row: dict = {"trace": trace_id, "demand": name, "method": method, "apps": len(asked), "unmet": unmet}
            if chosen:
                row |= {"gpus": len(gpus), "sevenths": plan["slices"].sum(), "slices": len(plan),
                        "processes": plan["processes"].sum()}  # fmt: skip
            by_table["slice_needs"].append(tables.conform(pl.DataFrame([row]), tables.SliceNeed))
            plan = plan.with_columns(trace=pl.lit(trace_id), demand=pl.lit(name), method=pl.lit(method))
            by_table["slice_plans"].append(tables.conform(plan, tables.SlicePlan))
    return {name: pl.concat(frames) for name, frames in by_table.items()}


def _plan(points: pl.DataFrame, options: Options, gpus: list[list[int]]) -> pl.DataFrame:
    """A row per slice: GPU and position from 1, and its point."""
    rows = [int(options.row[i]) for gpu in gpus for i in gpu]
    return points[rows].with_columns(
        gpu=pl.Series([number for number, gpu in enumerate(gpus, 1) for _ in gpu], dtype=pl.Int64),
        position=pl.Series([place for gpu in gpus for place in range(1, len(gpu) + 1)], dtype=pl.Int64),
    )
