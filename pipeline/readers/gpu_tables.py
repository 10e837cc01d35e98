"""Tables of GPU applications: `kernels`, `sm_curve`, `corun_pairs`, each optional.

CSV or Parquet, with the columns of pipeline.tables (Kernel, SmCurve, CorunPair) by their names, or mapped in
`trace.yaml`.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from pipeline import tables
from pipeline.drops import Drop, DropSettings
from pipeline.readers._gpu_tables import gpu_table_files, read_pairs_and_curves, renamed
from pipeline.readers._profiler_csv import exporter
from pipeline.readers._queue import load_plain
from pipeline.readers._sink import Sink
from pipeline.readers._tables import named, one

FORMAT = "gpu_tables"
GIVES = ("kernels", "sm_curves", "corun_pairs")
KERNELS = "kernels"


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:  # noqa: ARG001
    """The tables among the files; beside exports of a profiler, pairs and curves are that reader's."""
    mine = [*named(files, KERNELS), *gpu_table_files(files)]
    others = [file for file in files if file not in mine]
    return [] if mine and any(exporter(file) for file in others) else mine


def read(drop: Drop, files: list[Path], sink: Sink) -> None:
    """Hand the tables to the sink; a file that cannot be read is refused and leaves the others."""
    sink.trace(drop.name)
    file = one(drop, named(files, KERNELS), KERNELS)
    apps = None
    if file is not None:
        with sink.reading(file):
            frame = load_plain(drop, file, "kernels", sink).frame
            if "app" not in frame.columns:
                frame = frame.with_columns(app=pl.col("kernel"))
            frame = renamed(frame, drop, "app").with_columns(pl.col("app").fill_null(pl.col("kernel")))
            sink.rows("kernels", frame.with_columns(origin=pl.lit(tables.GIVEN)), file)
    read_pairs_and_curves(drop, files, sink, apps)
