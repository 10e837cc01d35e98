"""CSV exports of nvprof: `--print-gpu-trace`, summaries, `--metrics`, one application a file; optionally `corun_pairs`.

Source: nvprof's own `--csv` output (CUDA 8 to 12). The application is told by the file's name, see _gpu_profile.app_of.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from pipeline.drops import Drop, DropSettings, Refusal
from pipeline.readers._files import Reject
from pipeline.readers._gpu_profile import COPIES, LAUNCHES, TRACE, Profiles, exports, read_exports
from pipeline.readers._items import Yields
from pipeline.readers._profiler_csv import (
    NVPROF,
    NVPROF_UNITS,
    Section,
    fitting,
    mark_of,
    plain,
    readable,
    sections,
    unit_in,
    whole,
    with_unit,
)
from pipeline.runtime.wording import listing

FORMAT = "nvprof"
GIVES = ("kernels", "gpu_apps", "corun_pairs")

SUMMARY, METRICS_KIND = "summary", "metrics"
_SHAPE = ("Grid X", "Grid Y", "Grid Z", "Block X", "Block Y", "Block Z")
_TRACE_COLUMNS = ("Start", "Duration", *_SHAPE, "Name")
_METRIC_COLUMNS = ("Kernel", "Invocations", "Metric Name", "Avg")
_SUMMARY_COLUMNS = ("Time", "Calls", "Avg", "Name")
_UNIFIED_COLUMNS = ("Count", "Avg Size", "Total Time")
"""A table that sums up what unified memory moved; the trace has it row by row, and nothing of it is read."""
_PAGE_FAULT = r"^\[Unified Memory .*page fault"
"""Rows of a trace that are neither a kernel nor a copy; faults of the CPU take no time on the GPU."""
_GIB_PER_S = 1e-9
METRIC_QUANTITIES = {
    **dict.fromkeys(("flop_count_sp", "flop_count_dp", "flop_count_hp"), ("flops", 1.0)),
    **dict.fromkeys(("gld_throughput", "gst_throughput"), ("memory_gbps", _GIB_PER_S)),
    **dict.fromkeys(("dram_read_throughput", "dram_write_throughput"), ("dram_gbps", _GIB_PER_S)),
    "dram_utilization": ("dram_utilisation", 1.0),
    "achieved_occupancy": ("occupancy", 1.0),
}
"""Metrics that are used: the quantity that they are a part of, and the factor to its unit."""
REMEDIES = {
    "gflops": "the metrics flop_count_sp and flop_count_dp",
    "memory_gbps": "the metrics gld_throughput and gst_throughput",
    "time_s": "durations (--print-gpu-trace)",
    "command": "`nvprof --csv --metrics flop_count_sp,flop_count_dp,gld_throughput,gst_throughput` beside "
    "`nvprof --csv --print-gpu-trace`",
}
"""Metrics that columns of `kernels` are made of, and the commands that collect them all."""
_KERNEL_ID = r" \[\d+\]$"


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:  # noqa: ARG001
    """The exports among the files, told by their heads, with pairs beside them."""
    return exports(files, NVPROF)


def read(drop: Drop, files: list[Path]) -> Yields[None]:
    """Kernels, applications and pairs. Without a readable export the drop is refused."""
    return read_exports(drop, files, read_export, REMEDIES)


def read_export(file: Path, app: str, profiles: Profiles, reject: Reject) -> Iterator[int]:
    """Add what an export tells of an application. Yields the rows of each of its tables.

    Raises Refusal where it is none, or its units are not known.
    """
    has_rows = False
    tables = sections(file, reject)
    mark = _mark(tables)
    for section in tables:
        if set(_TRACE_COLUMNS) <= set(section.names):
            has_rows |= _take(profiles, app, TRACE, file, *_trace(section, app, mark, reject))
        elif set(_METRIC_COLUMNS) <= set(section.names):
            has_rows |= _take(
                profiles, app, METRICS_KIND, file, _no_launches(), _no_copies(), _metrics(section, app, mark, reject)
            )
        elif set(_SUMMARY_COLUMNS) <= set(section.names):
            summary = _summary(section, app, mark, reject)
            if any(len(frame) for frame in summary):
                profiles.claim(app, SUMMARY, file)
                profiles.summaries[app] = summary
                has_rows = True
        elif not set(_UNIFIED_COLUMNS) <= set(section.names):
            raise Refusal(
                "columns_missing",
                f"a table with {listing(section.names)} is none that nvprof prints; export it anew",
                row=section.line,
            )
        yield section.rows.height
    if not has_rows:
        raise Refusal("file_empty", "the file holds no kernel and no copy; it may be cut, or the profile failed")


def _take(profiles: Profiles, app: str, kind: str, file: Path, launches, copies, metrics=None) -> bool:
    """Enter the rows of a section; False where there are none."""
    if launches.is_empty() and copies.is_empty() and (metrics is None or metrics.is_empty()):
        return False
    profiles.claim(app, kind, file)
    profiles.launches.append(launches)
    profiles.copies.append(copies)
    if metrics is not None:
        profiles.metrics.append(metrics)
    return True


def _no_launches() -> pl.DataFrame:
    return pl.DataFrame(schema=LAUNCHES)


def _no_copies() -> pl.DataFrame:
    return pl.DataFrame(schema=COPIES)


def _mark(tables: list[Section]) -> str:
    """The decimal mark of an export, by the columns that are read."""
    read = ("Start", "Duration", "Time", "Avg", "Min", "Max")
    counts = ("Invocations", "Calls", "Grid X", "Block X")
    return mark_of(
        (table.rows, column, pl.lit(column in counts))
        for table in tables
        for column in (*read, *counts)
        if column in table.names
    )


def _scaled(section: Section, column: str, mark: str) -> pl.Expr:
    """Numbers of a column in s or B, by the row of units; null for a column that the export lacks."""
    if column not in section.names:
        return pl.lit(None, pl.Float64)
    return plain(column, mark) * NVPROF_UNITS[section.unit(column)]


def _trace(section: Section, app: str, mark: str, reject) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Launches and copies of a gpu-trace."""
    values = {"start_s": _scaled(section, "Start", mark), "time_s": _scaled(section, "Duration", mark)}
    rows = section.rows.filter(~pl.col("Name").str.contains(_PAGE_FAULT).fill_null(False))
    rows = readable(rows, values, ("start_s", "time_s"), reject)
    is_kernel = pl.col("Grid X").is_not_null()
    shape = {
        "blocks": plain("Grid X", mark) * plain("Grid Y", mark) * plain("Grid Z", mark),
        "threads": plain("Block X", mark) * plain("Block Y", mark) * plain("Block Z", mark),
    }
    kernels = readable(rows.filter(is_kernel), shape, ("blocks", "threads"), reject)
    launches = kernels.select(
        pl.lit(app).alias("app"),
        pl.col("Name").str.replace(_KERNEL_ID, "").alias("kernel"),
        pl.lit(1, pl.Int64).alias("calls"),
        "start_s",
        "time_s",
        "blocks",
        "threads",
        (
            plain("Registers Per Thread", mark) if "Registers Per Thread" in section.names else pl.lit(None, pl.Float64)
        ).alias("registers"),
        (_scaled(section, "Static SMem", mark) + _scaled(section, "Dynamic SMem", mark)).alias("shared_b"),
        (pl.col("Device") if "Device" in section.names else pl.lit(None, pl.String)).alias("device"),
        pl.lit(None, pl.String).alias("capability"),
    )
    copies = rows.filter(~is_kernel).select(
        pl.lit(app).alias("app"), "start_s", "time_s", _scaled(section, "Size", mark).alias("bytes"), _with_host()
    )
    return _named(launches, kernels, reject), copies.drop_nulls("with_host")


def _with_host() -> pl.Expr:
    return pl.col("Name").str.contains("HtoD|DtoH").alias("with_host")


def _named(launches: pl.DataFrame, rows: pl.DataFrame, reject) -> pl.DataFrame:
    """Launches that have a name; a line cut before it has none."""
    nameless = launches["kernel"].is_null()
    if nameless.any():
        bad = rows.filter(nameless).select("row", reason=pl.lit("kernel_missing"), detail=pl.lit("no kernel is named"))
        reject(bad)
    return launches.filter(~nameless)


def _summary(section: Section, app: str, mark: str, reject) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Launches and copies of a summary, a row per kernel; calls of the driver are left out."""
    rows = section.rows
    if "Type" in section.names:
        rows = rows.filter(pl.col("Type") == "GPU activities")
    elif rows["Name"].str.contains(r"^cu(da)?[A-Z]").any():
        rows = rows.clear()
    if rows.is_empty():
        return _no_launches(), _no_copies()
    rows = readable(
        rows, {"time_s": _scaled(section, "Time", mark), "calls": whole("Calls", mark)}, ("time_s", "calls"), reject
    )
    is_copy = pl.col("Name").str.starts_with("[CUDA ")
    empty = (pl.lit(None, dtype).alias(name) for name, dtype in LAUNCHES.items())
    launches = rows.filter(~is_copy).select(
        *(column for column in empty if column.meta.output_name() not in ("app", "kernel", "calls", "time_s")),
        app=pl.lit(app),
        kernel=pl.col("Name").str.replace(_KERNEL_ID, ""),
        calls="calls",
        time_s="time_s",
    )
    copies = rows.filter(is_copy).select(
        pl.lit(app).alias("app"),
        pl.lit(None, pl.Float64).alias("start_s"),
        "time_s",
        pl.lit(None, pl.Float64).alias("bytes"),
        _with_host(),
    )
    return launches.select(list(LAUNCHES)), copies


def _metrics(section: Section, app: str, mark: str, reject) -> pl.DataFrame:
    """Quantities of the metrics that are used."""
    rows = section.rows.filter(pl.col("Metric Name").is_in(list(METRIC_QUANTITIES)))
    rows = readable(
        rows, {"value": with_unit("Avg", mark), "calls": whole("Invocations", mark)}, ("value", "calls"), reject
    )
    quantity = {name: quantity for name, (quantity, _) in METRIC_QUANTITIES.items()}
    factor = {name: factor for name, (_, factor) in METRIC_QUANTITIES.items()}
    metric = pl.col("Metric Name")
    quantities = metric.replace_strict(quantity, return_dtype=pl.String)
    rows = fitting(rows, "Avg", unit_in("Avg"), quantities, NVPROF_UNITS, reject)
    above = (metric == "achieved_occupancy") & (pl.col("value") > 1)
    detail = pl.format("achieved_occupancy = {} is more than the 1 of an SM", "Avg")
    reject(rows.filter(above).select("row", reason=pl.lit("occupancy_too_large"), detail=detail))
    rows = rows.filter(~above)
    return rows.select(
        pl.lit(app).alias("app"),
        pl.col("Kernel").str.replace(_KERNEL_ID, "").alias("kernel"),
        quantities.alias("quantity"),
        metric.alias("name"),
        (pl.col("value") * metric.replace_strict(factor, return_dtype=pl.Float64)).alias("value"),
        "calls",
    )
