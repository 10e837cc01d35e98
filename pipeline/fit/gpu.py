"""Fits of a drop with GPU applications: curves against SMs, slices, and the best of the measured pairs."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from pipeline import tables
from pipeline.fit import kernel_class, pairing, slices, sm_curve, task_costs

SOURCE_TABLES = ("kernels", "gpu_apps", "sm_curves", "corun_pairs", "slice_points")
READ = ("sm_curves", "corun_pairs", "slice_points", "slice_demands")
"""Canonical tables that `fit` takes, in its order."""


def holds_gpu(ingested: Path) -> bool:
    """Whether an ingested drop has applications of a GPU."""
    return any((ingested / f"{name}.parquet").is_file() for name in SOURCE_TABLES)


def fit(
    curves: pl.DataFrame, pairs: pl.DataFrame, points: pl.DataFrame | None = None, demands: pl.DataFrame | None = None
) -> dict[str, pl.DataFrame]:
    """Canonical tables by name: sm_fits, task_costs, best_pairs and those of slices.needs.

    curves: sm_curves; pairs: corun_pairs; points, demands: slice_points and slice_demands. Curves beside others are no
    curves of the application alone and are not fitted.
    """
    fits = curve_fits(curves)
    result = {"sm_fits": fits, "task_costs": task_costs.costs(curves, fits, pairs), "best_pairs": pairing.fit(pairs)}
    if points is not None and demands is not None:
        result |= slices.needs(points, demands)
    return result


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
