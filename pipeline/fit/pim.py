"""Fits of a drop with PIM applications: curves of time against ranks, their models and performance tables."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from pipeline import tables
from pipeline.fit import perf_table, rank_model
from pipeline.fit.rank_model import RankModel
from pipeline.statistics.rank_tables import profile_points
from pipeline.tables.profiling import (
    ALIKE,
    BELOW_ONE_RANK,
    DPU,
    EXTRAPOLATED,
    INTERPOLATED,
    MEASURED,
    ONE_MEASUREMENT,
    RANK,
    of_whole_ranks,
)

log = logging.getLogger(__name__)

SOURCE_TABLES = ("pim_runs", "perf_points")
PHASES = ("host", "alloc", "cpu_dpu", "kernel", "inter_dpu", "dpu_cpu")

GIVEN, PROFILE, POINTS, MODEL = "given", "profile", "points", "model"
DETERMINED, UNDERDETERMINED = "determined", "underdetermined"
BOUND_TOLERANCE = 1e-6
MISS_WORTH_A_NOTE = 1.1
"""A fit that misses a measured time by more than this factor is no more than a guess beyond the points."""


@dataclass(frozen=True)
class Curve:
    """Times of one application that differ in the ranks only.

    key: columns of pim_curves that name it, and its unit; points: ranks, time_s and <phase>_s (s; means over runs),
    [best_ranks], [source], by ranks; runs: runs behind them; phases: those that are timed, or `total`; max_ranks: ranks
    of the machine, and whether these are stated. With the unit `dpu` all ranks are DPUs.
    """

    key: dict
    points: pl.DataFrame
    runs: int
    phases: tuple[str, ...]
    max_ranks: int
    stated: bool
    notes: tuple[str, ...] = ()


def holds_pim(ingested: Path) -> bool:
    """Whether an ingested drop has PIM applications."""
    return any((ingested / f"{name}.parquet").is_file() for name in SOURCE_TABLES)


def fit(
    runs: pl.DataFrame, points: pl.DataFrame, traces: pl.DataFrame, ratio: float = 0.2, threshold: float = 0.95
) -> dict[str, pl.DataFrame]:
    """Canonical tables by name: pim_curves, perf_tables, pim_models, pim_predictions.

    runs: pim_runs; points: perf_points; traces: trace and ranks, the ranks of the machine (null: the largest that
    was measured there). ratio, threshold: of Algorithm 1 (perf_table.build).

    Every measured time is in the table of its curve as it is. Between two of them the speed is interpolated; beyond
    them a model is fitted to the points and goes through the nearest one (`perf_table.from_points`). The method says
    what was measured: `given` every rank count, `profile` all profile points of Algorithm 1, `points` others from 1 to
    the machine's ranks, `model` less, so that a fit is part of the table. A curve of one rank count is no curve and has
    no table.
    """
    by_table: dict[str, list[pl.DataFrame]] = {name: [] for name in ("perf_tables", "pim_models", "pim_predictions")}
    rows = []
    for curve in [*_curves_of_runs(runs, traces), *_curves_of_points(points, traces)]:
        row = _described(curve)
        if row["status"] is None:
            model = _model(curve)
            method, table = _table(curve, model, ratio, threshold)
            row |= _fitted(curve, model, method, table, threshold)
            row["note"] = " ".join([*curve.notes, *_remarks(curve, model, method, table, threshold)]) or None
            by_table["perf_tables"].append(table)
            by_table["pim_models"].append(_parameters(curve, model))
            by_table["pim_predictions"].append(_predictions(curve, model))
        rows.append(row)
    schema = tables.polars_schema(tables.PimCurve)
    curves = _choose(pl.DataFrame([{"chosen": False} | row for row in rows], schema=schema))
    log.info("%d curves of PIM applications, %d with a table", len(curves), len(by_table["perf_tables"]))
    result = {
        name: pl.concat([tables.empty(tables.CANONICAL[name]), *frames], how="diagonal_relaxed")
        for name, frames in by_table.items()
    }
    chosen = curves.select("trace", "curve", "chosen")
    result["perf_tables"] = (
        result["perf_tables"].drop("chosen").join(chosen, on=["trace", "curve"], how="left", maintain_order="left")
    )
    result = {name: tables.conform(frame, tables.CANONICAL[name]) for name, frame in result.items()}
    return {"pim_curves": curves} | result


def _machine(traces: pl.DataFrame, trace_id: str, measured: pl.Series) -> tuple[int, bool]:
    """Ranks of the machine of a trace, and whether they are stated; else they are the most that was measured."""
    stated = traces.filter(pl.col("trace") == trace_id)["ranks"].drop_nulls()
    return (int(stated[0]), True) if len(stated) else (int(measured.max()), False)


def _curves_of_runs(runs: pl.DataFrame, traces: pl.DataFrame) -> Iterator[Curve]:
    # Of one rank count, too: it is listed among the curves, where it says that it is none.
    has_ranks = pl.col("excluded").is_null() | pl.col("excluded").is_in([ONE_MEASUREMENT, BELOW_ONE_RANK])
    usable = of_whole_ranks(runs.filter(has_ranks & pl.col("ranks").is_not_null()))
    machines = {
        trace_id: _machine(traces, trace_id, rows["ranks"])
        for (trace_id,), rows in usable.group_by("trace", maintain_order=True)
    }
    keys = ["trace", "app", *ALIKE]
    for key, rows in usable.sort(*keys, "ranks", "log", "run").group_by(keys, maintain_order=True):
        named = dict(zip(keys, key, strict=True))
        max_ranks, stated = machines[named["trace"]]
        named["unit"] = rows["unit"][0] or RANK
        notes = [
            sentence
            for present, sentence in (
                (rows["note"].is_not_null().any(), "Runs of it carry notes."),
                (named["input"] is None, "The logs do not state the input; it is taken to be one in their folder."),
                (
                    (rows["ranks"] > max_ranks).any(),
                    f"Runs on more than the {max_ranks} ranks of the machine left out.",
                ),
            )
            if present
        ]
        rows = rows.filter(pl.col("ranks") <= max_ranks)
        if rows.is_empty():
            continue
        phases = tuple(phase for phase in PHASES if rows[f"{phase}_s"].null_count() < len(rows))
        points = rows.group_by("ranks", maintain_order=True).agg(
            pl.col("time_s").mean(), *(pl.col(f"{phase}_s").fill_null(0.0).mean() for phase in phases)
        )
        named["curve"] = _curve_name(named)
        named["most_dpus"] = rows.filter(pl.col("ranks") == points["ranks"].max())["dpus"].max()
        notes += _faulty(rows, named)
        yield Curve(named, points, len(rows), phases, max_ranks, stated, tuple(notes))


def _faulty(rows: pl.DataFrame, named: dict) -> list[str]:
    """A sentence on runs whose ranks have fewer DPUs than whole ones."""
    whole = named["dpus_per_rank"]
    fewer = rows.filter((pl.col("dpus") < pl.col("ranks") * whole) & pl.lit(named["unit"] == RANK))
    pairs = fewer.select("ranks", "dpus").unique().sort("ranks", "dpus").iter_rows()
    sentences = ", ".join(f"{dpus} DPUs are {ranks} rank{'s' if ranks > 1 else ''}" for ranks, dpus in pairs)
    return [f"Ranks lack DPUs, as faulty ones do: {sentences}."] if sentences else []


def _curves_of_points(points: pl.DataFrame, traces: pl.DataFrame) -> Iterator[Curve]:
    for (trace_id,), given in points.group_by("trace", maintain_order=True):
        max_ranks, stated = _machine(traces, trace_id, given["ranks"])
        for (app,), rows in given.sort("app", "ranks").group_by("app", maintain_order=True):
            key = {"trace": trace_id, "app": app, "curve": app, "unit": rows["unit"][0] or RANK}
            yield Curve(key, rows.with_columns(total_s="time_s"), len(rows), ("total",), max_ranks, stated)


def _curve_name(key: dict) -> str:
    """Name of a curve: the application and what its runs have in common."""
    parts = [
        key["app"],
        key["variant"],
        key["experiment"],
        None if key["tasklets"] is None else f"tl{key['tasklets']}",
        None if key["block_size"] is None else f"bl{key['block_size']}",
        None if key["unit"] == DPU else f"{key['dpus_per_rank']:g} DPUs/rank",
        key["input"],
    ]
    return " ".join(part for part in parts if part)


def _described(curve: Curve) -> dict:
    """Row of pim_curves before any fit; its status is null where there is something to fit."""
    ranks = curve.points["ranks"]
    # Only of a machine that is said to have one rank does one measurement tell all.
    single = len(ranks) == 1 and (curve.max_ranks > 1 or not curve.stated)
    counted = "number of DPUs" if curve.key["unit"] == DPU else "rank count"
    notes = [*curve.notes, *([f"Measured on one {counted} only: no curve, and used nowhere."] if single else [])]
    return curve.key | {
        "runs": curve.runs,
        "points": len(ranks),
        "least_ranks": ranks.min(),
        "most_ranks": ranks.max(),
        "max_ranks": curve.max_ranks,
        "status": ONE_MEASUREMENT if single else None,
        "note": " ".join(notes) or None,
    }


def _model(curve: Curve) -> RankModel | None:
    """The model of a curve; None where a machine of one rank leaves nothing to fit."""
    if len(curve.points) < 2:
        return None
    times = {phase: curve.points[f"{phase}_s"].to_numpy() for phase in curve.phases}
    return rank_model.fit(curve.points["ranks"].to_numpy(), times, curve.max_ranks)


def _table(curve: Curve, model: RankModel | None, ratio: float, threshold: float) -> tuple[str, pl.DataFrame]:
    """How the performance table of a curve is made, and the table."""
    known = curve.points["ranks"].to_numpy()
    columns = ["ranks", "time_s", *(name for name in ("best_ranks", "source") if name in curve.points.columns)]
    app = pl.lit(curve.key["app"]).alias("app")
    outside = _outside(curve)
    beyond = None
    if set(known) >= set(range(1, curve.max_ranks + 1)):
        method = GIVEN
    elif set(known) >= set(profile_points(curve.max_ranks, ratio)):
        method = PROFILE
    elif not outside.any():
        method = POINTS
    else:
        method = MODEL
        ranks = np.flatnonzero(outside) + 1
        times = _through_points(curve, model.predicted_s[None, :])[0]
        beyond = pl.DataFrame({"ranks": ranks, "time_s": times[ranks - 1]}).with_columns(app)
    built = perf_table.from_points(curve.points.select(app, *columns), curve.max_ranks, threshold, beyond=beyond)
    named = built.with_columns(
        trace=pl.lit(curve.key["trace"]), curve=pl.lit(curve.key["curve"]), method=pl.lit(method)
    )
    return method, named


def _outside(curve: Curve) -> np.ndarray:
    """Whether each rank count of the machine is beyond those that were measured."""
    every = np.arange(1, curve.max_ranks + 1)
    return (every < curve.points["ranks"].min()) | (every > curve.points["ranks"].max())


def _through_points(curve: Curve, times_s: np.ndarray) -> np.ndarray:
    """Times (n, R) of a model, scaled so that they go through the measured ones.

    The factor is linear in the ranks between two points, and beyond them that of the nearest.
    """
    known = curve.points["ranks"].to_numpy()
    factor = curve.points["time_s"].to_numpy() / times_s[:, known - 1]
    every = np.arange(1, curve.max_ranks + 1)
    return times_s * np.array([np.interp(every, known, row) for row in factor])


def _miss(curve: Curve, model: RankModel) -> float:
    """The largest factor, at least 1, between a measured time and that of the fit."""
    known = curve.points["ranks"].to_numpy()
    off = np.abs(np.log(model.predicted_s[known - 1] / curve.points["time_s"].to_numpy()))
    return float(np.exp(off.max()))


def _best_between(curve: Curve, model: RankModel, table: pl.DataFrame, threshold: float) -> tuple[int, int]:
    """Smallest and largest best number among the curves through the measured points that the fit allows.

    These are the table's own and those of all admissible parameters, each also as much faster and slower as the fit
    misses a measured time at most: beyond the points, and between two of them as far as the times of the two.
    """
    known = curve.points["ranks"].to_numpy()
    every = np.arange(1, curve.max_ranks + 1)
    outside, below = _outside(curve), every < known[0]
    measured = curve.points["time_s"].to_numpy()
    after = np.clip(np.searchsorted(known, every), 0, len(known) - 1)
    beside = np.stack([measured[after], measured[np.maximum(after - (known[after] > every), 0)]])
    between = ~outside & ~np.isin(every, known)
    miss = _miss(curve, model)
    factors = (1 / miss, 1.0, miss) if miss > 1 + BOUND_TOLERANCE else (1.0,)
    least, most = curve.max_ranks, 1
    for times in (table["time_s"].to_numpy()[None, :], _through_points(curve, model.ensemble_s)):
        low, high = np.minimum(times, beside.min(axis=0)), np.maximum(times, beside.max(axis=0))
        for lower, inner, upper in itertools.product(factors, repeat=3):
            possible = times * np.where(below, lower, np.where(outside, upper, 1.0))
            possible = np.where(between, np.clip(times * inner, low, high), possible)
            best = perf_table.best_ranks(possible, threshold)
            least, most = min(least, int(best.min())), max(most, int(best.max()))
    return least, most


def _source(curve: Curve, ranks: int) -> str:
    """Source of a time that the model gives."""
    measured = curve.points["ranks"]
    if ranks in measured.to_list():
        return MEASURED
    return INTERPOLATED if measured.min() < ranks < measured.max() else EXTRAPOLATED


def _fitted(curve: Curve, model: RankModel | None, method: str, table: pl.DataFrame, threshold: float) -> dict:
    """Columns of pim_curves that the fits give."""
    best = int(table.filter("is_best")["ranks"][0])
    row = {"method": method, "best_ranks": best, "status": DETERMINED}
    if model is None:
        return row
    row |= {
        "status": UNDERDETERMINED if model.underdetermined else DETERMINED,
        "free_terms": model.free_terms,
        "residual_s": model.residual_s,
        "relative_residual": model.residual_s / curve.points["time_s"].mean(),
    }
    noted = perf_table.annotation(curve.key["app"], curve.points, curve.max_ranks) is not None
    if method in (POINTS, MODEL) and not noted:
        row["least_best_ranks"], row["most_best_ranks"] = _best_between(curve, model, table, threshold)
    return row


def _remarks(
    curve: Curve, model: RankModel | None, method: str, table: pl.DataFrame, threshold: float
) -> Iterator[str]:
    """What is odd about the fit of a curve."""
    if method == MODEL and (miss := _miss(curve, model)) > MISS_WORTH_A_NOTE:
        yield (
            f"The fit misses a measured time by a factor of {miss:.2g}; beyond the measured ranks the table is a guess."
        )
    noted = perf_table.annotation(curve.key["app"], curve.points, curve.max_ranks)
    by_times = int(perf_table.best_ranks(table["time_s"].to_numpy()[None, :], threshold)[0])
    if noted is not None and noted != by_times:
        yield f"best_ranks {noted} is the user's; by these times Algorithm 1 gives {by_times}."


def _parameters(curve: Curve, model: RankModel | None) -> pl.DataFrame:
    if model is None:
        return tables.empty(tables.PimModel)
    most = curve.points["ranks"].max()
    rows = []
    for name, value in model.parameters.items():
        low, high = model.low.get(name), model.high.get(name)
        determined = value is not None and high - low <= BOUND_TOLERANCE * max(high, 1.0)
        # A saturation beyond the points is one that they do not show.
        determined &= name != "sat" or value < most
        bounds = (low, high) if model.underdetermined else (None, None)
        rows.append({**_place(curve), "parameter": name, "value": value, "low": bounds[0], "high": bounds[1],
                     "determined": determined, "origin": tables.FITTED})  # fmt: skip
    return pl.DataFrame(rows, schema=tables.polars_schema(tables.PimModel))


def _predictions(curve: Curve, model: RankModel | None) -> pl.DataFrame:
    if model is None:
        return tables.empty(tables.PimPrediction)
    every = pl.DataFrame({"ranks": pl.int_range(1, curve.max_ranks + 1, eager=True, dtype=pl.Int64)})
    measured = every.join(curve.points.select("ranks", "time_s"), on="ranks", how="left", maintain_order="left")
    bounds = len(model.ensemble_s) > 1
    frame = measured.select(
        *(pl.lit(value, dtype=pl.String).alias(name) for name, value in _place(curve).items()),
        "ranks",
        pl.col("time_s").alias("measured_s"),
        pl.Series("predicted_s", model.predicted_s),
        pl.Series("low_s", model.ensemble_s.min(axis=0)) if bounds else pl.lit(None, pl.Float64).alias("low_s"),
        pl.Series("high_s", model.ensemble_s.max(axis=0)) if bounds else pl.lit(None, pl.Float64).alias("high_s"),
        pl.Series("source", [_source(curve, ranks) for ranks in every["ranks"].to_list()]),
    )
    return tables.conform(frame, tables.PimPrediction)


def _place(curve: Curve) -> dict[str, str]:
    return {name: curve.key[name] for name in ("trace", "curve", "app")}


def _choose(curves: pl.DataFrame) -> pl.DataFrame:
    """Mark the curve of each trace's application that studies replay."""
    fitted = curves.filter(pl.col("method").is_not_null()).sort(
        "trace", "app", "points", "most_ranks", "tasklets", "runs", "curve",
        descending=[False, False, True, True, True, True, False], nulls_last=True,
    )  # fmt: skip
    first = fitted.unique(["trace", "app"], keep="first", maintain_order=True)
    first = first.select("trace", "curve", pl.lit(True).alias("is_first"))
    marked = curves.join(first, on=["trace", "curve"], how="left", maintain_order="left")
    marked = marked.with_columns(chosen=pl.col("is_first").fill_null(False))
    return marked.select(curves.columns).sort("trace", "app", "curve")
