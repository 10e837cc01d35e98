"""Curves of time or rate against streaming multiprocessors: `sm_curve` as CSV or Parquet.

Columns are those of pipeline.tables (SmCurve) by their names, or mapped in `trace.yaml`: app, sms, and time_s or ipc.
"""

from __future__ import annotations

from pathlib import Path

from pipeline.drops import Drop, DropSettings
from pipeline.readers import gpu_kernels
from pipeline.readers._gpu_tables import CURVES, read_curves
from pipeline.readers._sink import Sink
from pipeline.readers._tables import named

FORMAT = "sm_curve"
GIVES = ("sm_curves",)


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:
    """The table among the files; beside kernels or pairs it is that reader's."""
    return [] if gpu_kernels.recognises(files, settings) else named(files, CURVES)


def read(drop: Drop, files: list[Path], sink: Sink) -> None:
    """Hand the curves to the sink."""
    sink.trace(drop.name)
    read_curves(drop, files, sink)
