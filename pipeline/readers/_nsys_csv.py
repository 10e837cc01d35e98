"""CSV reports of `nsys stats`: launches and copies in batches.

Source: Nsight Systems User Guide, "Statistical Reports Shipped With Nsight Systems": cuda_gpu_trace,
cuda_kern_exec_trace, cuda_gpu_kern_sum, cuda_gpu_kern_gb_sum, cuda_kern_exec_sum, cuda_gpu_mem_time_sum. Units stand in
the header, as `--timeunit` has them; sizes are decimal and rounded to 0.001 of their unit.
"""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import polars as pl

from pipeline.drops import Refusal
from pipeline.readers._files import CsvTable, Reject
from pipeline.readers._gpu_profile import COPIES, LAUNCHES
from pipeline.readers._profiler_csv import plain, readable, whole

SNIFFED_BYTES = 1 << 16
TRACE, EXEC_TRACE, GRID_SUMMARY, SUMMARY, EXEC_SUMMARY, COPIED = (
    "cuda_gpu_trace", "cuda_kern_exec_trace", "cuda_gpu_kern_gb_sum", "cuda_gpu_kern_sum", "cuda_kern_exec_sum",
    "cuda_gpu_mem_time_sum",
)  # fmt: skip
REPORTS = {
    TRACE: ("Start", "Duration", "GrdX", "Name"),
    EXEC_TRACE: ("Kernel Start", "Kernel Dur", "Kernel Name"),
    GRID_SUMMARY: ("Total Time", "Instances", "GridXYZ", "BlockXYZ", "Name"),
    SUMMARY: ("Total Time", "Instances", "Name"),
    EXEC_SUMMARY: ("Count", "KAvg", "Kernel Name"),
    COPIED: ("Total Time", "Count", "Operation"),
}
"""Columns, without their units, by which a report is told; the one that tells most comes first."""
_UNIT = r" ?\(([^()]*)\)$"
_UNITS = {
    "s": 1.0, "ms": 1e-3, "us": 1e-6, "μs": 1e-6, "ns": 1e-9,
    "B": 1.0, "KB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1024.0, "MiB": 1024.0**2, "GiB": 1024.0**3,
}  # fmt: skip
_WITH_HOST = r"(?i)Host-to-Device|Device-to-Host|HtoD|DtoH"


class Report(NamedTuple):
    """A report in a file: which one, the line of its header, and the column and factor of each name without unit."""

    kind: str
    line: int
    columns: dict[str, tuple[str, str]]


class Batch(NamedTuple):
    """Rows of a report: launches (LAUNCHES) and copies (COPIES)."""

    launches: pl.DataFrame
    copies: pl.DataFrame


def find(file: Path) -> Report | None:
    """The report in a CSV file, by a header in its first 64 KiB; None for other files.

    What `nsys stats` prints beside its tables may stand before the header.
    """
    name = file.name.lower()
    if not name.endswith((".csv", ".csv.gz")):
        return None
    try:
        with (gzip.open if name.endswith(".gz") else open)(file, "rb") as content:
            head = content.read(SNIFFED_BYTES).decode("utf-8-sig", errors="replace")
    except (OSError, EOFError, zlib.error):
        return None
    for number, line in enumerate(head.split("\n"), start=1):
        try:
            names = [value.strip() for value in next(csv.reader([line.strip("\r")]), [])]
        except csv.Error:
            continue
        columns = {
            re.sub(_UNIT, "", value): (value, unit[1] if (unit := re.search(_UNIT, value)) else "") for value in names
        }
        kind = next((kind for kind, needed in REPORTS.items() if set(needed) <= columns.keys()), None)
        if kind:
            return Report(kind, number, columns)
    return None


def batches(file: Path, report: Report, app: str, reject: Reject) -> Iterator[Batch]:
    """What a report tells of an application, batch by batch; rows that cannot be read go to `reject`.

    Raises Refusal for a unit that is not known, and for a file that goes on with another report.
    """
    table = CsvTable(file, header=report.line)
    read = {
        TRACE: _trace, EXEC_TRACE: _exec_trace, GRID_SUMMARY: _summary, SUMMARY: _summary,
        EXEC_SUMMARY: _exec_summary, COPIED: _copied,
    }[report.kind]  # fmt: skip
    first = table.names[0]
    for rows in table.batches(table.names, reject):
        again = rows.filter(pl.col(first) == first)
        if again.height:
            raise Refusal(
                "several_reports",
                "another table begins within the file; write one file a report, with `nsys stats --output`",
                row=again["row"][0],
            )
        yield read(rows, report, app, reject)


def _value(report: Report, name: str) -> pl.Expr:
    """Numbers of a column in s or B; null for a column that the report lacks."""
    if name not in report.columns:
        return pl.lit(None, pl.Float64)
    column, unit = report.columns[name]
    if unit and unit not in _UNITS:
        raise Refusal("unit_unknown", f"the unit of {column} is {unit!r}; known: {', '.join(_UNITS)}", row=report.line)
    return plain(column) * _UNITS.get(unit, 1.0)


def _text(report: Report, name: str) -> pl.Expr:
    return pl.col(report.columns[name][0]) if name in report.columns else pl.lit(None, pl.String)


def _product(report: Report, name: str) -> pl.Expr:
    """Product of a shape as `128 1 1`; null where the report has none."""
    if name not in report.columns:
        return pl.lit(None, pl.Float64)
    parts = pl.col(report.columns[name][0]).str.extract_all("[0-9]+").list.eval(pl.element().cast(pl.Float64))
    return pl.when(parts.list.len() == 3).then(parts.list.eval(pl.element().product()).list.first())


def _launches(rows: pl.DataFrame, app: str, **columns: pl.Expr | str) -> pl.DataFrame:
    """Launches with these columns, the others null."""
    given = {"app": pl.lit(app), **columns}
    return rows.select(
        (given[name] if not isinstance(given[name], str) else pl.col(given[name])).cast(dtype).alias(name)
        if name in given
        else pl.lit(None, dtype).alias(name)
        for name, dtype in LAUNCHES.items()
    )


def _named(rows: pl.DataFrame, name: pl.Expr, reject: Reject) -> pl.DataFrame:
    """Rows that name a kernel; a line that was cut names none."""
    nameless = rows.filter(name.is_null())
    if nameless.height:
        reject(nameless.select("row", reason=pl.lit("kernel_missing"), detail=pl.lit("no kernel is named")))
    return rows.filter(name.is_not_null())


def _trace(rows: pl.DataFrame, report: Report, app: str, reject: Reject) -> Batch:
    rows = _named(rows, _text(report, "Name"), reject)
    times = {"start_s": _value(report, "Start"), "time_s": _value(report, "Duration")}
    rows = readable(rows, times, ("start_s", "time_s"), reject)
    is_kernel = pl.col(report.columns["GrdX"][0]).is_not_null()
    shape = {
        name: _value(report, f"{of}X") * _value(report, f"{of}Y") * _value(report, f"{of}Z")
        for name, of in (("blocks", "Grd"), ("threads", "Blk"))
    }
    kernels = readable(rows.filter(is_kernel), shape, ("blocks", "threads"), reject)
    launches = _launches(
        kernels, app, kernel=_text(report, "Name"), calls=pl.lit(1), start_s="start_s", time_s="time_s",
        blocks="blocks", threads="threads", registers=_value(report, "Reg/Trd"),
        shared_b=_value(report, "StcSMem") + _value(report, "DymSMem"), device=_text(report, "Device"),
    )  # fmt: skip
    copies = rows.filter(~is_kernel).select(
        pl.lit(app).alias("app"),
        "start_s",
        "time_s",
        _value(report, "Bytes").alias("bytes"),
        _text(report, "Name").str.contains(_WITH_HOST).alias("with_host"),
    )
    return Batch(launches, copies)


def _exec_trace(rows: pl.DataFrame, report: Report, app: str, reject: Reject) -> Batch:
    """Launches without their starts: there are no copies beside them, so they do not span a run."""
    rows = _named(rows, _text(report, "Kernel Name"), reject)
    rows = readable(rows, {"time_s": _value(report, "Kernel Dur")}, ("time_s",), reject)
    return Batch(
        _launches(
            rows, app, kernel=_text(report, "Kernel Name"), calls=pl.lit(1), time_s="time_s",
            blocks=_product(report, "GridXYZ"), threads=_product(report, "BlockXYZ"),
        ),
        pl.DataFrame(schema=COPIES),
    )  # fmt: skip


def _summary(rows: pl.DataFrame, report: Report, app: str, reject: Reject) -> Batch:
    rows = _named(rows, _text(report, "Name"), reject)
    values = {"time_s": _value(report, "Total Time"), "calls": whole(report.columns["Instances"][0])}
    rows = readable(rows, values, ("time_s", "calls"), reject)
    return Batch(
        _launches(
            rows, app, kernel=_text(report, "Name"), calls="calls", time_s="time_s",
            blocks=_product(report, "GridXYZ"), threads=_product(report, "BlockXYZ"),
        ),
        pl.DataFrame(schema=COPIES),
    )  # fmt: skip


def _exec_summary(rows: pl.DataFrame, report: Report, app: str, reject: Reject) -> Batch:
    """A row per process, thread, device and kernel: its mean time, and how often it ran."""
    rows = _named(rows, _text(report, "Kernel Name"), reject)
    values = {"mean_s": _value(report, "KAvg"), "calls": whole(report.columns["Count"][0])}
    rows = readable(rows, values, ("mean_s", "calls"), reject)
    time_s = pl.col("mean_s") * pl.col("calls")
    launches = _launches(rows, app, kernel=_text(report, "Kernel Name"), calls="calls", time_s=time_s)
    return Batch(launches, pl.DataFrame(schema=COPIES))


def _copied(rows: pl.DataFrame, report: Report, app: str, reject: Reject) -> Batch:
    rows = readable(rows, {"time_s": _value(report, "Total Time")}, ("time_s",), reject)
    copies = rows.select(
        pl.lit(app).alias("app"),
        pl.lit(None, pl.Float64).alias("start_s"),
        "time_s",
        pl.lit(None, pl.Float64).alias("bytes"),
        _text(report, "Operation").str.contains(_WITH_HOST).fill_null(False).alias("with_host"),
    )
    return Batch(pl.DataFrame(schema=LAUNCHES), copies)
