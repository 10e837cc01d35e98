"""CSV exports of Nsight Compute (`ncu --csv`, pages details and raw), one application a file; optionally `corun_pairs`.

Source: Nsight Compute 2019 to 2026. The page details has one row a metric of a launch, rows of one launch share an ID;
the page raw has a row a launch and a column a metric, with a row of units. Old versions tell no shape of the grid in
columns of their own, and name units in words (usecond, Gbyte/second). Rates of operations are Nsight Compute's own
("achieved work" of its roofline charts): operations a cycle times cycles a second.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from pipeline.drops import Drop, DropSettings, Refusal
from pipeline.readers._files import Reject
from pipeline.readers._gpu_profile import COPIES, LAUNCHES, METRICS, Profiles, exports, read_exports
from pipeline.readers._items import Yields
from pipeline.readers._profiler_csv import NCU, Section, fitting, mark_of, plain, readable, sections
from pipeline.runtime.wording import listing

FORMAT = "ncu"
GIVES = ("kernels", "gpu_apps", "corun_pairs")

_LONG = ("ID", "Kernel Name", "Metric Name", "Metric Unit", "Metric Value")
_DEVICE_NAME = "device__attribute_display_name"
"""The GPU by its name, which the page raw of newer versions tells beside its number."""
_ABSENT = ("n/a", "nan", "-nan")
"""Texts in the place of a metric that the GPU cannot count, or that is 0 over 0."""
_OF_LAUNCH = ("ID", "Kernel Name", "Block Size", "Grid Size", "Device", "CC")
_PREFIXES = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_TIMES = {
    "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9,
    "second": 1.0, "msecond": 1e-3, "usecond": 1e-6, "nsecond": 1e-9,
}  # fmt: skip
UNITS = {
    "": 1.0,
    "%": 1e-2,
    "inst": 1.0,
    "inst/cycle": 1.0,
    "sector": 1.0,
    "block": 1.0,
    "thread": 1.0,
    "register/thread": 1.0,
    **{f"{prefix}{counted}": scale for prefix, scale in _PREFIXES.items() if prefix for counted in ("inst", "sector")},
    **_TIMES,
    **{f"cycle/{unit}": 1.0 / scale for unit, scale in _TIMES.items()},
    **{f"{prefix}{hertz}": scale for prefix, scale in _PREFIXES.items() for hertz in ("hz", "Hz")},
    **{f"{prefix}{byte}{per}": scale for prefix, scale in _PREFIXES.items() for byte, pers in (
        ("B", ("", "/s", "/block")), ("byte", ("", "/second", "/s", "/block"))) for per in pers},
}  # fmt: skip
"""Factors to s, Hz, B, B/s, counts and shares; Nsight Compute's prefixes are decimal."""
_WHOLE = ("inst", "sector", "cycle", "block", "thread", "register/thread", "byte", "request", "warp")
"""Units of metrics that are whole numbers."""

_OPERATIONS = {f"{kind}{op}": 2.0 if op == "fma" else 1.0 for kind in "hfd" for op in ("add", "mul", "fma")}
_SECTOR_B = 32.0
_GB = 1e-9
ALWAYS, A_CYCLE, A_LAUNCH = "always", "a cycle", "a launch"


@dataclass(frozen=True)
class Way:
    """One of the ways in which exports tell a quantity: the sum of its metrics, each times its factor.

    per: the sum is the quantity (ALWAYS), is of a cycle (times cycles a second and the duration gives the quantity), or
    of a launch (over the duration).
    """

    quantity: str
    metrics: dict[str, float]
    per: str = ALWAYS


def _sass(unit: str, suffix: str) -> dict[str, float]:
    return {f"{unit}__sass_thread_inst_executed_op_{op}_pred_on{suffix}": by for op, by in _OPERATIONS.items()}


_FUSED = "derived__smsp__sass_thread_inst_executed_op_{}fma_pred_on_x2"
_GLOBAL = "l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum{}"
WAYS = (
    Way("flops", _sass("smsp", ".sum")),
    Way("flops", _sass("sm", ".sum")),
    # What the roofline charts of the sections' set `full` collect. The derived metrics are twice those a cycle.
    Way("flops", {name: by for name, by in _sass("smsp", ".sum.per_cycle_elapsed").items() if "fma" not in name}
        | {_FUSED.format(kind): 1.0 for kind in "hfd"}, A_CYCLE),
    Way("flops", _sass("smsp", ".sum.per_cycle_elapsed"), A_CYCLE),
    Way("memory_gbps", {_GLOBAL.format("bytes", op, ".per_second"): _GB for op in ("ld", "st")}),
    Way("memory_gbps", {_GLOBAL.format("bytes", op, ""): _GB for op in ("ld", "st")}, A_LAUNCH),
    Way("memory_gbps", {_GLOBAL.format("sectors", op, ""): _SECTOR_B * _GB for op in ("ld", "st")}, A_LAUNCH),
    Way("dram_gbps", {"dram__bytes.sum.per_second": _GB}),
    Way("dram_gbps", {f"dram__bytes_{op}.sum.per_second": _GB for op in ("read", "write")}),
    Way("dram_gbps", {"Memory Throughput": _GB}),
    Way("dram_gbps", {"dram__bytes.sum": _GB}, A_LAUNCH),
    Way("dram_gbps", {f"dram__bytes_{op}.sum": _GB for op in ("read", "write")}, A_LAUNCH),
    Way("dram_utilisation", {"dram__throughput.avg.pct_of_peak_sustained_elapsed": 1.0}),
    Way("dram_utilisation", {"DRAM Throughput": 1.0}),
    Way("occupancy", {"sm__warps_active.avg.pct_of_peak_sustained_active": 1.0}),
    Way("occupancy", {"Achieved Occupancy": 1.0}),
    Way("waves", {"launch__waves_per_multiprocessor": 1.0}),
    Way("waves", {"Waves Per SM": 1.0}),
)  # fmt: skip
"""Ways to each quantity, the first that an export has is taken."""
_DURATIONS = ("gpu__time_duration.sum", "Duration")
_FREQUENCIES = ("smsp__cycles_elapsed.avg.per_second", "sm__cycles_elapsed.avg.per_second", "SM Frequency")
_GRID, _BLOCK = ("launch__grid_size", "Grid Size"), ("launch__block_size", "Block Size")
_DIMENSIONS = {ALWAYS: None, A_CYCLE: "number_a_cycle", A_LAUNCH: "amount"}
_QUANTITIES = (
    {name: _DIMENSIONS[way.per] or way.quantity for way in WAYS for name in way.metrics}
    | dict.fromkeys(_DURATIONS, "time_s")
    | dict.fromkeys(_FREQUENCIES, "frequency")
    | dict.fromkeys((*_GRID, *_BLOCK), "shape")
)
"""What each metric that is read measures, as in MEASURED_IN."""
REMEDIES = {
    "gflops": "smsp__sass_thread_inst_executed_op_{fadd,fmul,ffma,dadd,dmul,dfma}_pred_on.sum",
    "memory_gbps": "l1tex__t_bytes_pipe_lsu_mem_global_op_{ld,st}.sum.per_second",
    "time_s": "gpu__time_duration.sum",
    "command": "`ncu --csv --page raw --set full --metrics` and these names (the whole line is in docs/formats/ncu.md)",
}
"""Metrics that columns of `kernels` are made of, and the command that collects them."""


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:  # noqa: ARG001
    """The exports among the files, told by their heads, with pairs beside them."""
    return exports(files, NCU)


def read(drop: Drop, files: list[Path]) -> Yields[None]:
    """Kernels, applications and pairs. Without a readable export the drop is refused."""
    return read_exports(drop, files, read_export, REMEDIES)


def read_export(file: Path, app: str, profiles: Profiles, reject: Reject) -> Iterator[int]:
    """Add what an export tells of an application. Yields the rows of each of its tables.

    Raises Refusal where it is none, or not in the long form.
    """
    tables = [(section.rows.height, _long(section)) for section in sections(file, reject)]
    # Whole metrics show what parts thousands in the locale of the export.
    whole = pl.col("Metric Unit").is_in(_WHOLE) | pl.col("Metric Name").is_in((*_GRID, *_BLOCK))
    mark = mark_of((rows, "Metric Value", whole.fill_null(False)) for _, rows in tables)
    for height, rows in tables:
        yield height
        _take(rows, mark, app, file, profiles, reject)
    if app not in profiles.files:
        raise Refusal("file_empty", "the file holds no metric of a kernel; it may be cut, or the profile failed")


def _long(section: Section) -> pl.DataFrame:
    """A table in the long form: columns of the launch, Metric Name, Metric Unit, Metric Value, row.

    Raises Refusal for a table that has neither form.
    """
    if set(_LONG) <= set(section.names):
        return section.rows
    metrics = [name for name in section.names if name in _QUANTITIES and name not in _OF_LAUNCH]
    if not {"ID", "Kernel Name"} <= set(section.names) or not metrics:
        raise Refusal(
            "columns_missing",
            f"a table with {listing(section.names, 6)} has neither the columns {', '.join(_LONG)} nor a metric that is "
            f"read; export it with `ncu --csv --page raw --set full`",
            row=section.line,
        )
    if section.units is None:
        raise Refusal(
            "units_missing",
            "the row of units below the header is missing, so times could be in ns, us or ms; export anew",
            row=section.line + 1,
        )
    rows = section.rows
    if _DEVICE_NAME in section.names:
        rows = rows.with_columns(Device=pl.col(_DEVICE_NAME))
    of_launch = [name for name in _OF_LAUNCH if name in rows.columns]
    long = rows.unpivot(metrics, index=["row", *of_launch], variable_name="Metric Name", value_name="Metric Value")
    units = {name: section.units.get(name, "") for name in metrics}
    unit = pl.col("Metric Name").replace_strict(units, return_dtype=pl.String)
    return long.with_columns(unit.alias("Metric Unit")).drop_nulls("Metric Value").sort("row", maintain_order=True)


def _take(rows: pl.DataFrame, mark: str, app: str, file: Path, profiles: Profiles, reject) -> None:
    """Add launches and quantities of a table in the long form, whose numbers have this decimal mark."""
    absent = pl.col("Metric Value").str.strip_chars().str.to_lowercase().is_in(_ABSENT).fill_null(False)
    rows = rows.filter(pl.col("Metric Name").is_in(list(_QUANTITIES)) & ~absent)
    # Two metrics are called Memory Throughput: the one in % is the larger of several units' and no rate.
    rows = rows.filter(
        ~((pl.col("Metric Name") == "Memory Throughput") & ~pl.col("Metric Unit").fill_null("").str.contains("/s"))
    )
    unknown = rows.filter(~pl.col("Metric Unit").fill_null("").is_in(list(UNITS)))
    if unknown.height:
        detail = pl.format("{} has the unit {}, which is not known", "Metric Name", "Metric Unit")
        reject(unknown.select("row", reason=pl.lit("unit_unknown"), detail=detail))
        rows = rows.join(unknown.select("row"), on="row", how="anti", maintain_order="left")
    rows = readable(rows, {"value": plain("Metric Value", mark)}, ("value",), reject)
    unit = pl.col("Metric Unit").fill_null("")
    quantities = pl.col("Metric Name").replace_strict(_QUANTITIES, return_dtype=pl.String)
    rows = fitting(rows, "Metric Value", unit, quantities, UNITS, reject)
    scale = unit.replace_strict(UNITS, return_dtype=pl.Float64)
    rows = rows.with_columns(value=pl.col("value") * scale, metric=pl.col("Metric Name"), kernel=pl.col("Kernel Name"))
    rows = rows.drop_nulls(["ID", "kernel"])
    above = (pl.col("metric").replace_strict(_QUANTITIES) == "occupancy") & (pl.col("value") > 1)
    detail = pl.format("{} = {} % is more than the 100 % of an SM", "Metric Name", (pl.col("value") * 100).round(1))
    reject(rows.filter(above).select("row", reason=pl.lit("occupancy_too_large"), detail=detail))
    rows = rows.filter(~above)
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
    device_columns = {"device": "Device", "capability": "CC"}
    for column, source in device_columns.items():
        first[column] = pl.col(source).first() if source in rows.columns else pl.lit(None, pl.String)
    launches = rows.group_by("ID", "kernel", maintain_order=True).agg(**first)
    known = {"app": pl.lit(app), "kernel": pl.col("kernel"), "calls": pl.lit(1, pl.Int64)}
    known |= {name: pl.lit(None, LAUNCHES[name]) for name in ("start_s", "registers", "shared_b")}
    return launches.select(known.get(name, pl.col(name)).alias(name) for name in LAUNCHES)


def _product(shape: pl.Expr) -> pl.Expr:
    """Product of a shape as `(15625, 1, 1)` or `15625,1,1`."""
    numbers = shape.str.extract_all("[0-9]+").list.eval(pl.element().cast(pl.Float64))
    return pl.when(numbers.list.len() == 3).then(numbers.list.eval(pl.element().product()).list.first())


def _quantities(rows: pl.DataFrame, app: str) -> pl.DataFrame:
    """Quantities of launches by metric, each in the first of the ways that the table has."""
    once = rows.unique(["ID", "kernel", "metric"], keep="first", maintain_order=True)
    present, taken = set(once["metric"]), set()
    frames = [pl.DataFrame(schema=METRICS)]
    launch = ["ID", "kernel"]
    first = {"time_s": _DURATIONS, "frequency": _FREQUENCIES}
    of_launch = once.group_by(launch, maintain_order=True).agg(
        pl.coalesce(pl.col("value").filter(pl.col("metric") == name).first() for name in names).alias(column)
        for column, names in first.items()
    )
    by = {ALWAYS: 1.0, A_CYCLE: pl.col("frequency") * pl.col("time_s"), A_LAUNCH: 1.0 / pl.col("time_s")}
    for way in WAYS:
        if way.quantity in taken or not present & way.metrics.keys():
            continue
        values = once.filter(pl.col("metric").is_in(list(way.metrics))).join(
            of_launch, on=launch, how="left", maintain_order="left"
        )
        factor = pl.col("metric").replace_strict(way.metrics, return_dtype=pl.Float64)
        values = values.select(
            pl.lit(app).alias("app"),
            "kernel",
            pl.lit(way.quantity).alias("quantity"),
            pl.col("metric").alias("name"),
            (pl.col("value") * factor * by[way.per]).alias("value"),
            pl.lit(1, pl.Int64).alias("calls"),
        ).drop_nulls("value")
        if values.height:
            taken.add(way.quantity)
            frames.append(values)
    return pl.concat(frames)
