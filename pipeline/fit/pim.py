"""Fits of a drop with PIM applications: curves of time against ranks, their models and performance tables."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from pipeline import tables
from pipeline.fit import perf_table, rank_model
from pipeline.fit.rank_model import RankModel
from pipeline.profiling import EXTRAPOLATED, INTERPOLATED, MEASURED, profile_points

log = logging.getLogger(__name__)

SOURCE_TABLES = ("pim_runs", "perf_points")
PHASES = ("host", "alloc", "cpu_dpu", "kernel", "inter_dpu", "dpu_cpu")
ALIKE = ["variant", "experiment", "dpus_per_rank", "tasklets", "block_size", "input"]
"""What runs of a curve have in common, besides trace and application."""

GIVEN, PROFILE, MODEL = "given", "profile", "model"
DETERMINED, UNDERDETERMINED, ONE_MEASUREMENT = "determined", "underdetermined", "one_measurement"
BOUND_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Curve:
    """Times of one application that differ in the ranks only.

    key: columns of pim_curves that name it; points: ranks, time_s and <phase>_s (s; means over runs), [best_ranks],
    [source], by ranks; runs: runs behind them; phases: those that are timed, or `total`; max_ranks: ranks of the
    machine, and whether these are stated.
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

    runs: pim_runs; points: perf_points; traces: trace_id and ranks, the ranks of the machine (null: the largest that
    was measured there). ratio, threshold: of Algorithm 1 (perf_table.build).

    A curve's table is `given` where there is a time at every rank count, else made of its `profile` where that is
    whole, else of the times that a `model` fitted to its points gives at the missing profile points. A curve of one
    rank count is no curve and has none.
    """
    found: dict[str, list[pl.DataFrame]] = {name: [] for name in ("perf_tables", "pim_models", "pim_predictions")}
    rows = []
    for curve in [*_curves_of_runs(runs, traces), *_curves_of_points(points, traces)]:
        row = _described(curve)
        if row["status"] is None:
            model = _model(curve)
            method, table = _table(curve, model, ratio, threshold)
            row |= _fitted(curve, model, method, table, ratio, threshold)
            found["perf_tables"].append(table)
            found["pim_models"].append(_parameters(curve, model))
            found["pim_predictions"].append(_predictions(curve, model))
        rows.append(row)
    schema = tables.polars_schema(tables.PimCurve)
    curves = _choose(pl.DataFrame([{"chosen": False} | row for row in rows], schema=schema))
    log.info("%d curves of PIM applications, %d with a table", len(curves), len(found["perf_tables"]))
    result = {
        name: pl.concat([tables.empty(tables.CANONICAL[name]), *frames], how="diagonal_relaxed")
        for name, frames in found.items()
    }
    chosen = curves.select("trace_id", "curve", "chosen")
    result["perf_tables"] = result["perf_tables"].drop("chosen").join(
        chosen, on=["trace_id", "curve"], how="left", maintain_order="left"
    )  # fmt: skip
    result = {name: tables.conform(frame, tables.CANONICAL[name]) for name, frame in result.items()}
    return {"pim_curves": curves} | result


def _machine(traces: pl.DataFrame, trace_id: str, measured: pl.Series) -> tuple[int, bool]:
    """Ranks of the machine of a trace, and whether they are stated; else they are the most that was measured."""
    stated = traces.filter(pl.col("trace_id") == trace_id)["ranks"].drop_nulls()
    return (int(stated[0]), True) if len(stated) else (int(measured.max()), False)


def _curves_of_runs(runs: pl.DataFrame, traces: pl.DataFrame) -> Iterator[Curve]:
    usable = runs.filter(pl.col("excluded").is_null() & pl.col("ranks").is_not_null())
    machines = {
        trace_id: _machine(traces, trace_id, rows["ranks"])
        for (trace_id,), rows in usable.group_by("trace_id", maintain_order=True)
    }
    keys = ["trace_id", "app", *ALIKE]
    for key, rows in usable.sort(*keys, "ranks", "log", "run").group_by(keys, maintain_order=True):
        named = dict(zip(keys, key, strict=True))
        max_ranks, stated = machines[named["trace_id"]]
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
        points = (
            rows.group_by("ranks", maintain_order=True)
            .agg(pl.col(f"{phase}_s").fill_null(0.0).mean() for phase in phases)
            .with_columns(time_s=pl.sum_horizontal(f"{phase}_s" for phase in phases))
        )
        named["curve"] = _curve_name(named)
        yield Curve(named, points, len(rows), phases, max_ranks, stated, tuple(notes))


def _curves_of_points(points: pl.DataFrame, traces: pl.DataFrame) -> Iterator[Curve]:
    for (trace_id,), given in points.group_by("trace_id", maintain_order=True):
        max_ranks, stated = _machine(traces, trace_id, given["ranks"])
        for (app,), rows in given.sort("app", "ranks").group_by("app", maintain_order=True):
            key = {"trace_id": trace_id, "app": app, "curve": app}
            yield Curve(key, rows.with_columns(total_s="time_s"), len(rows), ("total",), max_ranks, stated)


def _curve_name(key: dict) -> str:
    """Name of a curve: the application and what its runs have in common."""
    parts = [
        key["app"],
        key["variant"],
        key["experiment"],
        None if key["tasklets"] is None else f"tl{key['tasklets']}",
        None if key["block_size"] is None else f"bl{key['block_size']}",
        f"{key['dpus_per_rank']:g} DPUs/rank",
        key["input"],
    ]
    return " ".join(part for part in parts if part)


def _described(curve: Curve) -> dict:
    """Row of pim_curves before any fit; its status is null where there is something to fit."""
    ranks = curve.points["ranks"]
    # Only of a machine that is said to have one rank does one measurement tell all.
    single = len(ranks) == 1 and (curve.max_ranks > 1 or not curve.stated)
    notes = [*curve.notes, *(["Measured on one rank count only: no curve, and used nowhere."] if single else [])]
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
    wanted = profile_points(curve.max_ranks, ratio)
    measured = set(curve.points["ranks"].to_list())
    columns = ["ranks", "time_s", *(name for name in ("best_ranks", "source") if name in curve.points.columns)]
    profile = curve.points.select(columns)
    if measured >= set(range(1, curve.max_ranks + 1)):
        method = GIVEN
    elif measured >= set(wanted):
        method = PROFILE
        profile = profile.filter(pl.col("ranks").is_in(wanted))
    else:
        method = MODEL
        filled = [ranks for ranks in wanted if ranks not in measured]
        predicted = pl.DataFrame(
            {
                "ranks": filled,
                "time_s": model.predicted_s[np.array(filled) - 1],
                "source": [_source(curve, ranks) for ranks in filled],
            }
        )
        profile = pl.concat([profile.filter(pl.col("ranks").is_in(wanted)), predicted], how="diagonal_relaxed")
    built = perf_table.build(profile.with_columns(app=pl.lit(curve.key["app"])), curve.max_ranks, ratio, threshold)
    named = built.with_columns(
        trace_id=pl.lit(curve.key["trace_id"]), curve=pl.lit(curve.key["curve"]), method=pl.lit(method)
    )
    return method, named


def _source(curve: Curve, ranks: int) -> str:
    """Source of a time that the model gives."""
    measured = curve.points["ranks"]
    if ranks in measured.to_list():
        return MEASURED
    return INTERPOLATED if measured.min() < ranks < measured.max() else EXTRAPOLATED


def _fitted(
    curve: Curve, model: RankModel | None, method: str, table: pl.DataFrame, ratio: float, threshold: float
) -> dict:
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
    if method == MODEL and model.underdetermined:
        points = np.array(profile_points(curve.max_ranks, ratio))
        tabulated = perf_table.interpolated(points, model.ensemble_s[:, points - 1], curve.max_ranks)
        possible = perf_table.best_ranks(tabulated, threshold)
        row |= {
            "least_best_ranks": min(best, int(possible.min())),
            "most_best_ranks": max(best, int(possible.max())),
        }
    return row


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
    bounds = model.underdetermined
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
    return {name: curve.key[name] for name in ("trace_id", "curve", "app")}


def _choose(curves: pl.DataFrame) -> pl.DataFrame:
    """Mark the curve of each trace's application that studies replay."""
    fitted = curves.filter(pl.col("method").is_not_null()).sort(
        "trace_id", "app", "points", "most_ranks", "tasklets", "runs", "curve",
        descending=[False, False, True, True, True, True, False], nulls_last=True,
    )  # fmt: skip
    first = fitted.unique(["trace_id", "app"], keep="first", maintain_order=True)
    first = first.select("trace_id", "curve", pl.lit(True).alias("is_first"))
    marked = curves.join(first, on=["trace_id", "curve"], how="left", maintain_order="left")
    marked = marked.with_columns(chosen=pl.col("is_first").fill_null(False))
    return marked.select(curves.columns).sort("trace_id", "app", "curve")
