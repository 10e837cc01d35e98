"""Curves of time or rate against streaming multiprocessors: `sm_curve` as CSV or Parquet, `corun_pairs` beside it.

Columns are those of pipeline.tables (SmCurve, CorunPair) by their names, or mapped in `trace.yaml`: app, sms, and
time_s or ipc.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from pipeline import tables
from pipeline.drops import Drop, DropSettings
from pipeline.readers._gpu_tables import pair_files, read_pairs, renamed
from pipeline.readers._queue import load_plain, without
from pipeline.readers._sink import Sink
from pipeline.readers._tables import WholeTable, named, one

FORMAT = "sm_curve"
GIVES = ("sm_curves", "corun_pairs")


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:  # noqa: ARG001
    """The curves among the files, and the pairs beside them."""
    curves = named(files, FORMAT)
    return [*curves, *pair_files(files)] if curves else []


def read(drop: Drop, files: list[Path], sink: Sink) -> None:
    """Hand the curves to the sink, and the pairs; a file that cannot be read is refused and leaves the other."""
    sink.trace(drop.name)
    file = one(drop, named(files, FORMAT), FORMAT)
    apps: set[str] = set()
    with sink.reading(file):
        curves = _curves(load_plain(drop, file, "sm_curves", sink), drop, sink)
        sink.rows("sm_curves", curves, file)
        apps = set(curves["app"].drop_nulls())
    read_pairs(drop, files, sink, apps, of="curve")


def _curves(table: WholeTable, drop: Drop, sink: Sink) -> pl.DataFrame:
    """Points of curves that have two or more; others are rejected, falling speeds remarked on."""
    frame = renamed(table.frame, drop, "app")
    for column, dtype in (("beside", pl.String), ("time_s", pl.Float64), ("ipc", pl.Float64)):
        if column not in frame.columns:
            frame = frame.with_columns(pl.lit(None, dtype).alias(column))
    frame = renamed(frame, drop, "beside").with_columns(origin=pl.lit(tables.GIVEN))
    machine = drop.settings.sms
    if machine:
        too_large = pl.format("app {} on {} SMs, the GPU has " + str(machine), "app", "sms")
        frame = without(frame, table, sink, pl.col("sms") > machine, "larger_than_machine", too_large)
    of_curve = ["app", "beside"]
    sizes = pl.col("sms").n_unique().over(of_curve)
    frame = frame.with_columns(sizes=sizes)
    detail = pl.format("app {} has a point at {} SMs only, which makes no curve; give more", "app", "sms")
    frame = without(frame, table, sink, pl.col("sizes") == 1, "one_measurement", detail).drop("sizes")
    # A point that stands twice is for the table's own rule to reject; it makes no curve fall.
    rate = pl.coalesce("ipc", 1 / pl.col("time_s"))
    points = frame.unique([*of_curve, "sms"], keep="first", maintain_order=True).sort(*of_curve, "sms")
    falling = points.filter((rate.diff() < 0).over(of_curve)).height
    sink.observed(drop.name, "sm_curves", "speed_falls", falling, "points slower than one with fewer SMs; kept")
    return frame
