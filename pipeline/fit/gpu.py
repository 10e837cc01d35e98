"""Fits of a drop with GPU applications: curves against SMs, and rules on pairs that were measured side by side."""

from __future__ import annotations

import logging
from pathlib import Path

import polars as pl

from pipeline import tables
from pipeline.fit import corun_choice, kernel_class, pair_choice, pair_rules, slices, sm_curve, task_costs
from pipeline.gpus.intensity import THRESHOLDS, Thresholds, thresholds_of

log = logging.getLogger(__name__)

SOURCE_TABLES = ("kernels", "gpu_apps", "sm_curves", "corun_pairs", "slice_points")
READ = ("sm_curves", "gpu_apps", "corun_pairs", "gpus", "solo_rates", "slice_points", "slice_demands", "kernels")
"""Canonical tables that `fit` takes, in its order."""
CORUN_TABLES = ("corun_predictions", "corun_parameters", "corun_choices", "corun_scores")


def holds_gpu(ingested: Path) -> bool:
    """Whether an ingested drop has applications of a GPU."""
    return any((ingested / f"{name}.parquet").is_file() for name in SOURCE_TABLES)


def fit(
    curves: pl.DataFrame,
    apps: pl.DataFrame,
    pairs: pl.DataFrame,
    gpus: pl.DataFrame | None = None,
    solo: pl.DataFrame | None = None,
    points: pl.DataFrame | None = None,
    demands: pl.DataFrame | None = None,
    *,
    kernels: pl.DataFrame | None = None,
) -> dict[str, pl.DataFrame]:
    """Canonical tables by name: sm_fits, task_costs, those of corun_choice.evaluate, pair_choice.judge, slices.needs.

    curves: sm_curves; apps: gpu_apps; pairs: corun_pairs; gpus: their cards; solo: solo_rates; points, demands:
    slice_points and slice_demands; kernels: whose rates are those of applications that are not in apps. Curves beside
    others are no curves of the application alone and are not fitted.
    """
    fits = curve_fits(curves)
    result = {"sm_fits": fits, "task_costs": task_costs.costs(curves, fits, pairs)}
    if points is not None and demands is not None:
        result |= slices.needs(points, demands)
    parts: dict[str, list[pl.DataFrame]] = {name: [] for name in (*CORUN_TABLES, *pair_choice.TABLES)}
    solo = tables.empty(tables.SoloRate) if solo is None else solo
    kernels = tables.empty(tables.Kernel) if kernels is None else kernels
    for (trace_id,), of_trace in pairs.group_by("trace", maintain_order=True):
        of_card = _thresholds(gpus, trace_id)
        own, profiled, rates = (frame.filter(pl.col("trace") == trace_id) for frame in (apps, kernels, solo))
        judged = corun_choice.evaluate(own, of_trace, thresholds=of_card)
        log.info("%s: %d predictions of pairs", trace_id, len(judged["corun_predictions"]))
        judged |= pair_choice.judge(of_trace, rates, pair_rules.profiled(own, profiled), of_card)
        for name, frame in judged.items():
            parts[name].append(tables.conform(frame.with_columns(trace=pl.lit(trace_id)), tables.CANONICAL[name]))
    return result | {name: pl.concat([tables.empty(tables.CANONICAL[name]), *frames]) for name, frames in parts.items()}


def _thresholds(gpus: pl.DataFrame | None, trace_id: str) -> Thresholds:
    """Thresholds of the card of a trace, the paper's where its peaks are not known."""
    if gpus is not None:
        for peaks in gpus.filter(trace=trace_id).select("peak_gflops", "bandwidth_gbps").drop_nulls().iter_rows():
            return thresholds_of(*peaks)
    return THRESHOLDS


def curve_fits(curves: pl.DataFrame) -> pl.DataFrame:
    """Table sm_fits of curves (sm_curves); those with a single point are left out."""
    rows = [tables.empty(tables.SmFit)]
    for (trace_id,), of_trace in curves.filter(pl.col("beside").is_null()).group_by("trace", maintain_order=True):
        rate = pl.coalesce("ipc", 1 / pl.col("time_s"))
        described = (
            of_trace.sort("app", "sms")
            .group_by("app", maintain_order=True)
            .agg(
                points=pl.len().cast(pl.Int64),
                least_sms=pl.col("sms").min(),
                most_sms=pl.col("sms").max(),
                monotone=(rate.diff().drop_nulls() >= 0).all(),
                timed=pl.col("time_s").is_not_null().all(),
            )
            .filter(pl.col("points") > 1)
        )
        timed = of_trace.join(described.filter("timed").select("app"), on="app", how="semi", maintain_order="left")
        # An application whose points are rates only is as far as a classification goes: time is work over rate.
        rated = of_trace.join(described.filter(~pl.col("timed")).select("app"), on="app", how="semi")
        rated = rated.filter(pl.col("ipc") > 0).with_columns(time_s=1 / pl.col("ipc"))
        fitted = sm_curve.fit(timed).rename({"a": "a_s", "b": "b_s"})
        kinds = kernel_class.classify(pl.concat([timed, rated.select(timed.columns)]))
        frame = described.join(fitted, on="app", how="left", maintain_order="left")
        frame = frame.join(kinds, on="app", how="left", maintain_order="left").with_columns(trace=pl.lit(trace_id))
        rows.append(tables.conform(frame, tables.SmFit))
    return pl.concat(rows)
