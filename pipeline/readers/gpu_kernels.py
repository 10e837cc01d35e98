"""Tables of GPU kernels and pairs: `kernels`, `corun_pairs`, one or both, and `sm_curve` beside them, CSV or Parquet.

Columns are those of pipeline.tables (Kernel, CorunPair, SmCurve) by their names, or mapped in `trace.yaml`.
"""

from __future__ import annotations

import math
from pathlib import Path

import polars as pl

from pipeline import tables
from pipeline.drops import Drop, DropSettings
from pipeline.readers._gpu_card import declare
from pipeline.readers._gpu_tables import (
    KERNELS,
    curve_files,
    kernel_files,
    pair_files,
    read_curves,
    read_pairs,
    renamed,
)
from pipeline.readers._items import LeftOut, Reading, Rows, Trace, Yields
from pipeline.readers._profiler_csv import exporter
from pipeline.readers._queue import load_plain, without
from pipeline.readers._tables import WholeTable, one

FORMAT = "kernels"
GIVES = ("kernels", "corun_pairs", "sm_curves")
RATES = ("gflops", "memory_gbps", "dram_gbps", "dram_utilisation", "occupancy")
GRIDS = ("blocks", "waves")
"""Columns of which a kernel has the mean over the time, and over the launches."""


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:
    """The tables among the files; pairs beside exports of a profiler, or beside curves, are that reader's."""
    kernels, pairs, curves = (files_of(files, settings) for files_of in (kernel_files, pair_files, curve_files))
    if kernels:
        return [*kernels, *pairs, *curves]
    others = [file for file in files if file not in pairs]
    return [] if curves or any(exporter(file) for file in others) else pairs


def _launches_merged(frame: pl.DataFrame, file: Path, trace: str) -> Yields[pl.DataFrame]:
    """The frame with one row for the launches of a kernel: times add up, rates are weighted by time.

    Only rows with sound numbers are merged, a time among them; the table's rules reject the others.
    """
    if "time_s" not in frame.columns:
        return frame
    key = ["app", "kernel"]
    by_time, by_launch = ([name for name in names if name in frame.columns] for names in (RATES, GRIDS))
    numbers = [
        pl.col(name).is_null() | (pl.col(name).is_between(0, math.inf, "left")) for name in (*by_time, *by_launch)
    ]
    sound = pl.all_horizontal(
        pl.col("kernel").is_not_null(), pl.col("time_s").is_between(0, math.inf, "none"), *numbers
    )
    launches = pl.col("launches") if "launches" in frame.columns else pl.lit(None, pl.Int64).alias("launches")
    frame = frame.with_columns(launches, sound=sound.fill_null(False))
    frame = frame.with_columns(several=pl.col("sound") & (pl.col("sound").sum().over(key) > 1))
    calls = pl.col("launches").fill_null(1)
    others = [name for name in frame.columns if name not in (*key, *by_time, *by_launch, "launches", "time_s")]
    merged = (
        frame.filter("several")
        .group_by(key, maintain_order=True)
        .agg(
            pl.col(others).first(),
            *(_weighted(name, pl.col("time_s")) for name in by_time),
            *(_weighted(name, calls) for name in by_launch),
            pl.col("time_s").sum(),
            calls.sum(),
        )
    )
    spare = frame["several"].sum() - merged.height
    yield LeftOut(trace, "kernels", "launches_merged", spare, "launches of a kernel make one row", file)
    return pl.concat([frame.filter(~pl.col("several")), merged], how="diagonal").sort("row").drop("sound", "several")


def _first_without_times(frame: pl.DataFrame, table: WholeTable) -> Yields[pl.DataFrame]:
    """The frame with the first row of kernels that have several and no times by which to weigh them."""
    again = pl.col("kernel").is_not_null() & ~pl.struct("app", "kernel").is_first_distinct()
    if "time_s" in frame.columns:
        again &= pl.col("time_s").is_null()
    detail = pl.format(
        "kernel {} has several rows; only the first counts. With the time of each launch (time_s) all would", "kernel"
    )
    return (yield from without(frame, table, again, "duplicate_kernel", detail))


def _weighted(name: str, weight: pl.Expr) -> pl.Expr:
    """Mean of a column by weight over the rows that have it."""
    there = pl.col(name).is_not_null()
    return pl.when(there.any()).then((pl.col(name) * weight).sum() / weight.filter(there).sum()).alias(name)


def read(drop: Drop, files: list[Path]) -> Yields[None]:
    """The tables; a file that cannot be read is refused and leaves the others."""
    yield Trace(drop.name)
    file = one(drop, kernel_files(files, drop.settings), KERNELS)
    if file is not None:
        with Reading(file) as reading:
            table = yield from load_plain(drop, file, "kernels")
            frame = table.frame
            if "app" not in frame.columns:
                frame = frame.with_columns(app=pl.col("kernel"))
            frame = renamed(frame, drop, "app").with_columns(pl.col("app").fill_null(pl.col("kernel")))
            if "gpu_sms" not in frame.columns:
                frame = frame.with_columns(gpu_sms=pl.lit(drop.settings.gpu_sms, pl.Int64))
            frame = yield from _first_without_times((yield from _launches_merged(frame, file, drop.name)), table)
            frame = frame.with_columns(trace=pl.lit(drop.name), origin=pl.lit(tables.GIVEN))
            yield Rows("kernels", frame, file)
            if frame.height:
                yield from declare(
                    drop, tables.conform(frame, tables.Kernel), curves=bool(curve_files(files, drop.settings))
                )
        yield reading
    yield from read_curves(drop, files)
    yield from read_pairs(drop, files, None)
