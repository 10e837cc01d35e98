"""Tables of GPU kernels and pairs: `kernels`, `corun_pairs`, one or both, and `sm_curve` beside them, CSV or Parquet.

Columns are those of pipeline.tables (Kernel, CorunPair, SmCurve) by their names, or mapped in `trace.yaml`.
"""

from __future__ import annotations

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
from pipeline.readers._profiler_csv import exporter
from pipeline.readers._queue import load_plain
from pipeline.readers._sink import Sink
from pipeline.readers._tables import one

FORMAT = "kernels"
GIVES = ("kernels", "corun_pairs", "sm_curves")


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:
    """The tables among the files; pairs beside exports of a profiler, or beside curves, are that reader's."""
    kernels, pairs, curves = (found(files, settings) for found in (kernel_files, pair_files, curve_files))
    if kernels:
        return [*kernels, *pairs, *curves]
    others = [file for file in files if file not in pairs]
    return [] if curves or any(exporter(file) for file in others) else pairs


def read(drop: Drop, files: list[Path], sink: Sink) -> None:
    """Hand the tables to the sink; a file that cannot be read is refused and leaves the others."""
    sink.trace(drop.name)
    file = one(drop, kernel_files(files, drop.settings), KERNELS)
    if file is not None:
        with sink.reading(file):
            frame = load_plain(drop, file, "kernels", sink).frame
            if "app" not in frame.columns:
                frame = frame.with_columns(app=pl.col("kernel"))
            frame = renamed(frame, drop, "app").with_columns(pl.col("app").fill_null(pl.col("kernel")))
            if "gpu_sms" not in frame.columns:
                frame = frame.with_columns(gpu_sms=pl.lit(drop.settings.gpu_sms, pl.Int64))
            frame = frame.with_columns(trace_id=pl.lit(drop.name), origin=pl.lit(tables.GIVEN))
            sink.rows("kernels", frame, file)
            if frame.height:
                declare(
                    drop, sink, tables.conform(frame, tables.Kernel), curves=bool(curve_files(files, drop.settings))
                )
    read_curves(drop, files, sink)
    read_pairs(drop, files, sink, None)
