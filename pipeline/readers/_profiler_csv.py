"""Tables in the CSV exports of NVIDIA's profilers: messages, headers, rows of units, values with units."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from pipeline.drops import Refusal
from pipeline.readers._files import Malformed, Reject, first_lines, line_blocks, require_columns, split_values
from pipeline.readers._numbers import POINT, decimal_mark, number
from pipeline.runtime.wording import did_you_mean

MESSAGE = r"^==|^\s*$|^Total CPU Page faults: \d+\s*$"
"""Lines between the rows: messages, blank ones, and the count of page faults that nvprof prints below its tables."""
HEADER = r'(?:^|,)"?(?:Grid X|Time ?\(%\)|Metric Name|Kernel Name|Avg Size)"?(?:,|$)'
NVPROF, NCU = "nvprof", "ncu"
SIGNATURES = (
    (NCU, {"ID", "Kernel Name", "Metric Name", "Metric Value"}),
    (NCU, {"ID", "Kernel Name", "Grid Size"}),
    (NCU, {"ID", "Process ID", "Kernel Name"}),
    (NVPROF, {"Kernel", "Invocations", "Metric Name"}),
    (NVPROF, {"Start", "Duration", "Grid X"}),
    (NVPROF, {"Time", "Calls", "Name"}),
)
"""Columns by which the tables of the profilers are told."""
LAST_NEEDED = "Metric Value"
"""The last column that every row has: ncu leaves out those of its rules, which stand behind it."""
LEVELS = 10
"""Grades of what nvprof tells in words, as `Low (1)`."""

MEASURED_IN = {
    "flops": ["number"],
    "memory_gbps": ["rate"],
    "dram_gbps": ["rate"],
    "dram_utilisation": ["share", "number"],
    "occupancy": ["share", "number"],
    "waves": ["number"],
    "time_s": ["time"],
    "frequency": ["frequency"],
    "number_a_cycle": ["number"],
    "amount": ["number", "bytes"],
    "shape": ["number"],
}
"""Dimensions that values of a quantity may have; a shape is a number of blocks or threads."""

_KI = 1024.0
NVPROF_UNITS = {
    "": 1.0,
    "%": 1e-2,
    "s": 1.0,
    "ms": 1e-3,
    "us": 1e-6,
    "ns": 1e-9,
    **{prefix + "B" + per: _KI**power for power, prefix in enumerate(("", "K", "M", "G", "T")) for per in ("", "/s")},
}
"""Factors to s, B, B/s and shares. nvprof's prefixes of bytes are binary: its dram_read_throughput, taken so, is its
dram_read_transactions times 32 B over the duration."""

_VALUE = r"^\s*([-+]?[\d.,'’\u00a0\u202f ]+?(?:[eE][-+]?\d+)?)\s*([A-Za-z%/]*)\s*$"
_LEVEL = r"^\s*[A-Za-z]+ \((\d+)\)\s*$"


@dataclass(frozen=True)
class Section:
    """A table of an export: unit of each column that has one, and rows (texts by column, `row`: line of the file)."""

    names: tuple[str, ...]
    units: dict[str, str] | None
    rows: pl.DataFrame
    line: int

    def unit(self, column: str) -> str:
        """Unit of a column; raises Refusal where the row of units is missing or the unit is not known."""
        if self.units is None:
            raise Refusal(
                "units_missing",
                f"the row of units below the header is missing, so {column} could be in s, ms or us; export anew",
                row=self.line + 1,
            )
        unit = self.units.get(column, "")
        if unit not in NVPROF_UNITS:
            raise Refusal(
                "unit_unknown",
                f"the unit of {column} is {unit!r}; known: {', '.join(filter(None, NVPROF_UNITS))}"
                f"{did_you_mean(unit, NVPROF_UNITS)}",
                row=self.line + 1,
            )
        return unit


def exporter(file: Path) -> str | None:
    """Profiler (nvprof or ncu) that wrote a CSV file, by messages and header in its first 64 KiB; None for others.

    A file of another name than *.csv has to have a header.
    """
    if file.name.lower().endswith(".parquet"):
        return None
    head = "\n".join(first_lines(file))
    names = next((names for line in head.split("\n") if (names := header_of(line))), ())
    by_header = next((profiler for profiler, columns in SIGNATURES if columns <= set(names)), None)
    message = re.search(r"^==\w+== (NVPROF)|^==(PROF)== ", head, re.MULTILINE)
    if by_header or not message or not file.name.lower().endswith((".csv", ".csv.gz")):
        return by_header
    return NVPROF if message[1] else NCU


def header_of(line: str) -> tuple[str, ...]:
    """Names of the columns, if a line is the header of a table of a profiler; else nothing."""
    if not re.search(HEADER, line.strip()):
        return ()
    try:
        return tuple(name.strip() for name in next(csv.reader([line.strip()]), []))
    except csv.Error:
        return ()


QUOTED = r'^(?:[^",]*|"(?:[^"]|"")*")(?:,(?:[^",]*|"(?:[^"]|"")*"))*$'
"""A line whose quotes stand around values; a quote elsewhere may open a value that goes on in the next line."""


def sections(file: Path, reject: Reject) -> list[Section]:
    """The tables of an export; lines that are no rows go to `reject`.

    Raises Refusal for a file without a header. A table ends at the next header; messages (`==PID== …`) and blank lines
    may stand anywhere. A last line without its end may be cut and is rejected.
    """
    data = b"".join(block for _, block in line_blocks(file))
    lines = pl.DataFrame({"text": data.decode(errors="replace").split("\n")}).with_row_index("row", offset=1)
    # A lone carriage return would end a line for the parser of values, but not for the line numbers.
    text = pl.col("text").str.strip_suffix("\r").str.replace_all("\r", " ", literal=True)
    lines = lines.with_columns(pl.col("row").cast(pl.Int64), text)
    last = lines.height if not data.endswith(b"\n") else None
    lines = lines.filter(~pl.col("text").str.contains(MESSAGE))
    headers = lines.filter(pl.col("text").str.contains(HEADER))
    if headers.is_empty():
        raise Refusal("columns_missing", "the file has messages of the profiler at most, and no table; it may be cut")
    starts = [*headers["row"].to_list(), int(lines["row"].max()) + 1]
    tables = []
    for start, stop, text in zip(starts[:-1], starts[1:], headers["text"].to_list(), strict=True):
        body = lines.filter((pl.col("row") > start) & (pl.col("row") < stop))
        tables.append(_section(header_of(text), start, body, last, reject))
    return tables


def _section(names: tuple[str, ...], line: int, body: pl.DataFrame, last: int | None, reject: Reject) -> Section:
    require_columns(names, line)
    if last is not None and body.height and body["row"][-1] == last:
        _reject(body.tail(1), "truncated_line", "the file ends within this line: {}", reject)
        body = body.head(-1)
    closed = pl.col("text").str.contains(QUOTED)
    _reject(body.filter(~closed), "malformed_line", "a quote is not closed: {}", reject)
    body = body.filter(closed)
    positions = [str(position) for position in range(len(names))]
    if body.is_empty():
        return Section(names, None, pl.DataFrame(schema={**dict.fromkeys(names, pl.String), "row": pl.Int64}), line)
    texts = body["text"].to_list()
    frame, malformed = _values(texts, positions)
    fewest = names.index(LAST_NEEDED) + 1 if LAST_NEEDED in names else len(names)
    short = {number - 1: len(names) - count for number, count, _ in malformed if fewest <= count < len(names)}
    if short:
        padded = [text + "," * short.get(number, 0) for number, text in enumerate(texts)]
        frame, malformed = _values(padded, positions)
    numbers = [number - 1 for number, _, _ in malformed]
    if malformed:
        details = [f"{count} values where the header names {len(names)}: {text!r}" for _, count, text in malformed]
        reject(pl.DataFrame({"row": body["row"].gather(numbers), "reason": "malformed_line", "detail": details}))
    well_formed = np.setdiff1d(np.arange(body.height), numbers)
    frame = frame.rename(dict(zip(positions, names, strict=True))).with_columns(row=body["row"].gather(well_formed))
    units = _units(frame)
    return Section(names, units, frame if units is None else frame.slice(1), line)


def _values(texts: Sequence[str], positions: list[str]) -> tuple[pl.DataFrame, Malformed]:
    return split_values(("\n".join(texts) + "\n").encode(), len(positions), positions, ",", quote='"')


def _units(frame: pl.DataFrame) -> dict[str, str] | None:
    """Units of the columns, if the first row is one of units: it names nothing and holds no number."""
    if frame.is_empty():
        return None
    first = {name: value for name, value in frame.drop("row").row(0, named=True).items() if value}
    is_units = first and "Name" not in first and all(re.fullmatch(r"[A-Za-z%][A-Za-z%/]*", v) for v in first.values())
    return first if is_units else None


def _reject(lines: pl.DataFrame, reason: str, sentence: str, reject: Reject) -> None:
    if lines.height:
        shown = pl.format(sentence, pl.col("text").str.slice(0, 80))
        reject(lines.select("row", pl.lit(reason).alias("reason"), shown.alias("detail")))


def mark_of(texts: Iterable[tuple[pl.DataFrame, str, pl.Expr]]) -> str:
    """The decimal mark of an export, by columns of its tables: rows, column of texts, whether they are whole numbers.

    Texts may have a unit behind the number. Raises Refusal where they contradict each other.
    """
    frames = [
        rows.select("row", pl.col(column).str.extract(_VALUE, 1).alias("text"), whole.alias("whole"))
        for rows, column, whole in texts
    ]
    schema = {"row": pl.Int64, "text": pl.String, "whole": pl.Boolean}
    return decimal_mark(pl.concat([pl.DataFrame(schema=schema), *frames]))


def plain(column: str, mark: str = POINT) -> pl.Expr:
    """Numbers of a column of texts, marks between thousands taken out; null where a text is no finite number."""
    return number(pl.col(column), mark)


def whole(column: str, mark: str = POINT) -> pl.Expr:
    """Whole numbers of a column of texts; null where a text is none, or below 1."""
    value = plain(column, mark)
    return pl.when((value >= 1) & (value == value.floor())).then(value.cast(pl.Int64, strict=False))


def with_unit(column: str, mark: str = POINT, units: dict[str, float] = NVPROF_UNITS) -> pl.Expr:
    """Numbers of a column of texts with units (`12.3GB/s`, `99.98%`) in base units, of graded words their share.

    Null where a text is neither, or its unit is not known.
    """
    value = number(pl.col(column).str.extract(_VALUE, 1), mark)
    scale = pl.col(column).str.extract(_VALUE, 2).replace_strict(units, default=None, return_dtype=pl.Float64)
    return pl.coalesce(value * scale, pl.col(column).str.extract(_LEVEL, 1).cast(pl.Float64, strict=False) / LEVELS)


def dimension(unit: str) -> str:
    """What a unit measures: rate (bytes per second), bytes, time, frequency, share, or number (of anything)."""
    if unit == "%":
        return "share"
    if re.fullmatch(r"([KMGkmg]?[Hh]z|[KMG]?cycle/[a-z]+)", unit):
        return "frequency"
    if unit.endswith(("/s", "/second")):
        return "rate"
    if re.search(r"(B|byte)(/block)?$", unit):
        return "bytes"
    return "time" if re.fullmatch(r"[nmu]?s(econd)?", unit) else "number"


def fitting(
    rows: pl.DataFrame, value: str, unit: pl.Expr, quantity: pl.Expr, units: Iterable[str], reject: Reject
) -> pl.DataFrame:
    """Rows with a value in a unit that fits their quantity (MEASURED_IN); the others go to `reject`.

    rows: with `Metric Name` and the text `value`; unit, quantity: of each row; units: all that `unit` may give.
    """
    unit_dimension = unit.replace_strict({name: dimension(name) for name in units}, return_dtype=pl.String)
    right = quantity.replace_strict(MEASURED_IN, return_dtype=pl.List(pl.String))
    rows = rows.with_columns(_found=unit_dimension, _right=right)
    fits = pl.col("_found").is_in(pl.col("_right"))
    wrong = rows.filter(~fits)
    if wrong.height:
        text = pl.col(value).str.slice(0, 60)
        kinds = pl.col("_right").list.join(" or a ")
        detail = pl.format("{} = {} is a {}, not a {}", "Metric Name", text, "_found", kinds)
        reject(wrong.select("row", reason=pl.lit("unit_wrong"), detail=detail))
    return rows.filter(fits).drop("_found", "_right")


def unit_in(column: str) -> pl.Expr:
    """Units of the texts that `with_unit` reads: empty where there is none, % of graded words; null of other texts."""
    unit = pl.col(column).str.extract(_VALUE, 2)
    return pl.coalesce(unit, pl.when(pl.col(column).str.contains(_LEVEL)).then(pl.lit("%")))


def readable(
    frame: pl.DataFrame, values: dict[str, pl.Expr], needed: Sequence[str], reject: Callable[[pl.DataFrame], None]
) -> pl.DataFrame:
    """The frame with `values` (new column: expression over its texts) in place, without rows that cannot be read.

    A row goes to `reject` where a text of `values` (a column of that name) is there and no number, or a needed one is
    absent. Source columns are those that an expression reads.
    """
    parsed = frame.with_columns(value.alias(f"={name}") for name, value in values.items())
    bad = []
    for name, value in values.items():
        source = value.meta.root_names()[0]
        wrong = pl.col(f"={name}").is_null() & (pl.lit(name in needed) | pl.col(source).is_not_null())
        shown = pl.col(source).str.slice(0, 60).fill_null("missing")
        bad.append(
            parsed.filter(wrong).select(
                "row",
                pl.lit(f"{name}_unreadable").alias("reason"),
                pl.format(source.replace("{", "(").replace("}", ")") + " = {} is not a number", shown).alias("detail"),
            )
        )
    rejected = pl.concat(bad).unique("row", keep="first", maintain_order=True).sort("row")
    if rejected.height:
        reject(rejected)
    good = parsed.join(rejected, on="row", how="anti", maintain_order="left") if rejected.height else parsed
    others = [name for name in frame.columns if name not in values]
    return good.select(*others, *(pl.col(f"={name}").alias(name) for name in values))
