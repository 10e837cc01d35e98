"""Figures of a benchmark, and the table of them."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

SCHEMA = {
    "benchmark": pl.String,
    "figure": pl.String,
    "value": pl.Float64,
    "min": pl.Float64,
    "max": pl.Float64,
    "unit": pl.String,
    "runs": pl.Int64,
    "note": pl.String,
}
"""Columns of the table; `value` is the median over the runs, null where nothing could be measured."""


@dataclass(frozen=True)
class Figure:
    """One figure: a number per run, in `unit`. Without numbers the figure is absent, and `note` says why."""

    name: str
    values: Sequence[float]
    unit: str
    note: str = ""


def quotients(name: str, numerator: Sequence[float], denominator: Sequence[float], note: str = "") -> Figure:
    """How many times the one is the other, run by run."""
    return Figure(name, [a / b for a, b in zip(numerator, denominator, strict=True)], "times", note)


def rates(name: str, count: float, seconds: Sequence[float], unit: str, note: str = "") -> Figure:
    """How many of something a second, from the time that all of it takes."""
    return Figure(name, [count / s for s in seconds], unit, note)


def table(benchmark: str, figures: Sequence[Figure]) -> pl.DataFrame:
    """The figures of a benchmark as rows of SCHEMA."""
    rows = [
        {
            "benchmark": benchmark,
            "figure": figure.name,
            "value": statistics.median(figure.values) if figure.values else None,
            "min": min(figure.values, default=None),
            "max": max(figure.values, default=None),
            "unit": figure.unit,
            "runs": len(figure.values),
            "note": figure.note,
        }
        for figure in figures
    ]
    return pl.DataFrame(rows, schema=SCHEMA)


def cells(frame: pl.DataFrame) -> list[tuple[str, ...]]:
    """A table of SCHEMA as texts, a heading first: median, and the range over the runs."""
    rows = [("benchmark", "figure", "median", "unit", "min – max", "runs", "note")]
    for row in frame.iter_rows(named=True):
        value, low, high = (_number(row[key]) for key in ("value", "min", "max"))
        spread = f"{low} – {high}" if row["runs"] > 1 and low != high else ""
        rows.append((row["benchmark"], row["figure"], value, row["unit"], spread, str(row["runs"]), row["note"]))
    return rows


def text(frame: pl.DataFrame) -> str:
    """A table of SCHEMA in columns for a terminal."""
    rows = cells(frame)
    widths = [max(len(row[k]) for row in rows) for k in range(6)]
    columns = [str.ljust, str.ljust, str.rjust, str.ljust, str.ljust, str.rjust]
    lines = [[align(cell, width) for align, cell, width in zip(columns, row, widths, strict=False)] for row in rows]
    return "\n".join("  ".join([*line, row[6]]).rstrip() for line, row in zip(lines, rows, strict=True))


def _number(value: float | None) -> str:
    if value is None:
        return "absent"
    if value == round(value) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"
