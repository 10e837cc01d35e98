"""Curves of time or rate against streaming multiprocessors: `sm_curve` as CSV or Parquet, `corun_pairs` beside it.

Columns are those of pipeline.tables (SmCurve, CorunPair) by their names, or mapped in `trace.yaml`: app, sms, and
time_s, throughput_per_s or ipc.
"""

from __future__ import annotations

from pathlib import Path

from pipeline.drops import Drop, DropSettings
from pipeline.readers._gpu_tables import curve_files, kernel_files, pair_files, read_curves, read_pairs
from pipeline.readers._items import Trace, Yields

FORMAT = "sm_curve"
GIVES = ("sm_curves", "corun_pairs")


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:
    """The curves among the files, and the pairs beside them; with a table of kernels they are that reader's."""
    curves = curve_files(files, settings)
    return [*curves, *pair_files(files, settings)] if curves and not kernel_files(files, settings) else []


def read(drop: Drop, files: list[Path]) -> Yields[None]:
    """The curves, and the pairs; a file that cannot be read is refused and leaves the other."""
    yield Trace(drop.name)
    yield from read_pairs(drop, files, (yield from read_curves(drop, files)), of="curve")
