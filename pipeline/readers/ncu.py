"""CSV exports of Nsight Compute (`ncu --csv`, one row a metric), one application a file; optionally `corun_pairs`.

Source: `--page details` and `--csv` of Nsight Compute 2019 to 2024. Rows of one launch share an ID. Old versions tell
no shape of the grid in columns of their own, and name units in words (usecond, Gbyte/second).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl

from pipeline.drops import Drop, DropSettings, Refusal
from pipeline.readers._gpu_profile import COPIES, LAUNCHES, Profiles, exports, read_exports
from pipeline.readers._profiler_csv import NCU, Section, fitting, plain, readable, sections
from pipeline.readers._sink import Sink
from pipeline.wording import listing

FORMAT = "ncu"
GIVES = ("kernels", "gpu_apps", "corun_pairs")

_COLUMNS = ("ID", "Kernel Name", "Metric Name", "Metric Unit", "Metric Value")
_PREFIXES = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
UNITS = {
    "": 1.0,
    "%": 1e-2,
    "inst": 1.0,
    "block": 1.0,
    "thread": 1.0,
    "register/thread": 1.0,
    **{f"{prefix}inst": scale for prefix, scale in _PREFIXES.items() if prefix},
    "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9,
    "second": 1.0, "msecond": 1e-3, "usecond": 1e-6, "nsecond": 1e-9,
    **{f"{prefix}{byte}{per}": scale for prefix, scale in _PREFIXES.items() for byte, pers in (
        ("B", ("", "/s", "/block")), ("byte", ("", "/second", "/s", "/block"))) for per in pers},
}  # fmt: skip
"""Factors to s, B, B/s, counts and shares; Nsight Compute's prefixes are decimal."""

_FLOPS = {
    f"{smsp}__sass_thread_inst_executed_op_{kind}{op}_pred_on.sum": 2.0 if op == "fma" else 1.0
    for smsp in ("smsp", "sm")
    for kind in ("h", "f", "d")
    for op in ("add", "mul", "fma")
}
_GBPS = 1e-9
METRIC_QUANTITIES: dict[str, tuple[str, float]] = {
    **{name: ("flops", factor) for name, factor in _FLOPS.items()},
    "l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum.per_second": ("memory_gbps", _GBPS),
    "l1tex__t_bytes_pipe_lsu_mem_global_op_st.sum.per_second": ("memory_gbps", _GBPS),
    "dram__bytes.sum.per_second": ("dram_gbps", _GBPS),
    "dram__bytes_read.sum.per_second": ("dram_gbps", _GBPS),
    "dram__bytes_write.sum.per_second": ("dram_gbps", _GBPS),
    "Memory Throughput": ("dram_gbps", _GBPS),
    "dram__throughput.avg.pct_of_peak_sustained_elapsed": ("dram_utilisation", 1.0),
    "DRAM Throughput": ("dram_utilisation", 1.0),
    "sm__warps_active.avg.pct_of_peak_sustained_active": ("occupancy", 1.0),
    "Achieved Occupancy": ("occupancy", 1.0),
    "launch__waves_per_multiprocessor": ("waves", 1.0),
    "Waves Per SM": ("waves", 1.0),
}
"""Metrics that are used: the quantity that they are a part of, and the factor to its unit."""
_PARTS = ("smsp__", "sm__sass", "l1tex__", "dram__bytes_read", "dram__bytes_write")
"""Beginnings of the names of which several make one quantity; of the others the first in METRIC_QUANTITIES counts."""
_DURATIONS = ("gpu__time_duration.sum", "Duration")
_GRID, _BLOCK = ("launch__grid_size", "Grid Size"), ("launch__block_size", "Block Size")
_QUANTITIES = (
    {name: quantity for name, (quantity, _) in METRIC_QUANTITIES.items()}
    | dict.fromkeys(_DURATIONS, "time_s")
    | dict.fromkeys((*_GRID, *_BLOCK), "shape")
)
"""Quantities of all metrics that are read."""


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:  # noqa: ARG001
    """The exports among the files, told by their heads, with pairs beside them."""
    return exports(files, NCU)


def read(drop: Drop, files: list[Path], sink: Sink) -> None:
    """Hand kernels, applications and pairs to the sink. Without a readable export the drop is refused."""
    read_exports(drop, files, sink, read_export)


def read_export(
    file: Path, app: str, profiles: Profiles, reject: Callable[[pl.DataFrame], None], count: Callable[[int], None]
) -> None:
    """Add what an export tells of an application. Raises Refusal where it is none, or not in the long form."""
    for section in sections(file, reject):
        count(section.rows.height)
        _take(section, app, file, profiles, reject)
    if app not in profiles.files:
        raise Refusal("file_empty", "the file holds no metric of a kernel; it may be cut, or the profile failed")


def _take(section: Section, app: str, file: Path, profiles: Profiles, reject) -> None:
    """Add launches and quantities of a table. Raises Refusal for one that is not in the long form."""
    if not set(_COLUMNS) <= set(section.names):
        raise Refusal(
            "columns_missing",
            f"a table with {listing(section.names, 6)} has not the columns {', '.join(_COLUMNS)}; export it with "
            "`ncu --csv --page details`",
            row=section.line,
        )
    rows = section.rows.filter(pl.col("Metric Name").is_in(list(_QUANTITIES)))
    # Two metrics are called Memory Throughput: the one in % is the larger of several units' and no rate.
    rows = rows.filter(
        ~((pl.col("Metric Name") == "Memory Throughput") & ~pl.col("Metric Unit").fill_null("").str.contains("/s"))
    )
    unknown = rows.filter(~pl.col("Metric Unit").fill_null("").is_in(list(UNITS)))
    if unknown.height:
        detail = pl.format("{} has the unit {}, which is not known", "Metric Name", "Metric Unit")
        reject(unknown.select("row", reason=pl.lit("unit_unknown"), detail=detail))
        rows = rows.join(unknown.select("row"), on="row", how="anti", maintain_order="left")
    rows = readable(rows, {"value": plain("Metric Value")}, ("value",), reject)
    unit = pl.col("Metric Unit").fill_null("")
    quantities = pl.col("Metric Name").replace_strict(_QUANTITIES, return_dtype=pl.String)
    rows = fitting(rows, "Metric Value", unit, quantities, UNITS, reject)
    scale = unit.replace_strict(UNITS, return_dtype=pl.Float64)
    rows = rows.with_columns(value=pl.col("value") * scale, metric=pl.col("Metric Name"), kernel=pl.col("Kernel Name"))
    rows = rows.drop_nulls(["ID", "kernel"])
    if rows.is_empty():
        return
    profiles.claim(app, "profile", file)
    profiles.launches.append(_launches(rows, app))
    profiles.copies.append(pl.DataFrame(schema=COPIES))
    profiles.metrics.append(_quantities(rows, app))


def _launches(rows: pl.DataFrame, app: str) -> pl.DataFrame:
    """One row a launch: its duration and shape."""
    first = {}
    for column, names in (("time_s", _DURATIONS), ("blocks", _GRID), ("threads", _BLOCK)):
        first[column] = pl.coalesce(pl.col("value").filter(pl.col("metric") == name).first() for name in names)
    for column, source in (("blocks", "Grid Size"), ("threads", "Block Size")):
        if source in rows.columns:
            first[column] = pl.coalesce(_product(pl.col(source).drop_nulls().first()), first[column])
    told = {"device": "Device", "capability": "CC"}
    for column, source in told.items():
        first[column] = pl.col(source).first() if source in rows.columns else pl.lit(None, pl.String)
    launches = rows.group_by("ID", "kernel", maintain_order=True).agg(**first)
    return launches.select(
        (pl.lit(None, dtype) if name in ("start_s", "registers", "shared_b") else pl.col(name)).alias(name)
        for name, dtype in LAUNCHES.items()
        if name not in ("app", "calls")
    ).select(
        pl.lit(app).alias("app"),
        "kernel",
        pl.lit(1, pl.Int64).alias("calls"),
        *(name for name in LAUNCHES if name not in ("app", "kernel", "calls")),
    )


def _product(shape: pl.Expr) -> pl.Expr:
    """Product of a shape as `(15625, 1, 1)` or `15625,1,1`."""
    numbers = shape.str.extract_all(r"\d+").list.eval(pl.element().cast(pl.Float64))
    return pl.when(numbers.list.len() == 3).then(
        numbers.list.get(0, null_on_oob=True)
        * numbers.list.get(1, null_on_oob=True)
        * numbers.list.get(2, null_on_oob=True)
    )


def _quantities(rows: pl.DataFrame, app: str) -> pl.DataFrame:
    """Quantities by metric; of several names for one the first is taken, but parts of a sum all."""
    present = set(rows["metric"])
    chosen: dict[str, list[str]] = {}
    for name in filter(present.__contains__, METRIC_QUANTITIES):
        taken = chosen.setdefault(METRIC_QUANTITIES[name][0], [])
        # smsp__ and sm__ count the same instructions, dram__bytes is the sum of its read and write.
        if not taken or (name.startswith(_PARTS) and taken[0].startswith(_PARTS) and _unit(name) == _unit(taken[0])):
            taken.append(name)
    table = pl.DataFrame(
        [(name, *METRIC_QUANTITIES[name]) for names in chosen.values() for name in names],
        schema={"metric": pl.String, "quantity": pl.String, "factor": pl.Float64},
        orient="row",
    )
    once = rows.unique(["ID", "kernel", "metric"], keep="first", maintain_order=True)
    return once.join(table, on="metric", how="inner", maintain_order="left").select(
        pl.lit(app).alias("app"),
        "kernel",
        "quantity",
        pl.col("metric").alias("name"),
        pl.col("value") * pl.col("factor"),
        pl.lit(1, pl.Int64).alias("calls"),
    )


def _unit(metric: str) -> str:
    """Unit of the GPU that counts a metric: `sm` of `sm__warps_active`."""
    return metric.partition("__")[0]
