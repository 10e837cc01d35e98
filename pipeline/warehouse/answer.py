"""Answers to queries on the database, as text: a table to look at, or CSV and JSON for other programs."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import polars.selectors as cs
import pyarrow as pa

from pipeline.runtime.database import connect
from pipeline.runtime.wording import CONTROL, FORMATS, escaped

WIDTH = 200
"""Characters that a line of an answer may have, where it is not asked for in full."""
CONTROL_CODES = CONTROL.replace("\ud800-\udfff", "")
"""CONTROL as polars takes it, whose texts have no halves of characters."""


def answer(
    database: Path,
    sql: str,
    rows: int | None = None,
    *,
    threads: int | None = None,
    full: bool = False,
    form: str = "table",
) -> str:
    """Result of a query on the database, as text; the query sees the database and no other file.

    rows: show the first so many, and how many there are; None: the first and last 50 of more than 100. threads: None =
    all cores. full: all rows and whole texts in one table, however wide it is. form: one of FORMATS; csv and json are
    always full: a line of names and a line per row, or a list with an object per row, numbers that JSON does not have
    as null. Raises ValueError where the query cannot be answered, FileNotFoundError where there is no database.
    """
    frame = _asked(database, sql, threads)
    if form != "table":
        return as_text(frame, form)
    shown = _escaped(pl.from_arrow(frame if rows is None else frame.slice(0, rows)))
    text = _whole_table(shown) if full else _text(shown)
    return escaped(text, "\n") + (f"\n{frame.num_rows} rows" if len(shown) < frame.num_rows else "")


def _escaped(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with codes for control characters in texts and names."""
    texts = [column for column in frame.select(cs.string()) if column.str.contains(CONTROL_CODES).any()]
    columns = [pl.Series(t.name, [v if v is None else escaped(v) for v in t], pl.String) for t in texts]
    names = list(map(escaped, frame.columns))
    return frame.with_columns(columns).rename(dict(zip(frame.columns, names, strict=True)))


def as_text(frame: pa.Table, form: str) -> str:
    """A table as csv or json (see `answer`). Raises ValueError for another format."""
    if form == "csv":
        return _csv(frame)
    if form == "json":
        return json.dumps([_json(row) for row in frame.to_pylist()], indent=1, ensure_ascii=False, default=str)
    raise ValueError(f"{form!r} is no format of an answer; there are {', '.join(FORMATS)}")


def read(connection: duckdb.DuckDBPyConnection, sql: str) -> pl.DataFrame:
    """Rows of a query; numbers with six significant digits, more than a figure shows."""
    frame = pl.from_arrow(connection.sql(sql).to_arrow_table())
    return frame.with_columns(cs.decimal().cast(pl.Float64)).with_columns(cs.float().round_sig_figs(6))


def _asked(database: Path, sql: str, threads: int | None) -> pa.Table:
    if not database.is_file():
        raise FileNotFoundError(f"{database} is not there; run `make` first")
    with connect(database, read_only=True) as connection:
        connection.execute("SET enable_external_access = false")
        if threads is not None:
            connection.execute(f"SET threads = {threads}")
        try:
            relation = connection.sql(sql)
            frame = None if relation is None else relation.to_arrow_table()
        except duckdb.Error as error:
            raise ValueError(f"the query cannot be answered: {error}") from None
    if frame is None:
        raise ValueError("the query gives no rows to show; it begins with SELECT, FROM or DESCRIBE")
    return frame


def _csv(frame: pa.Table) -> str:
    """Names, then rows; null is empty, lists and structures are JSON."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(frame.column_names)
    for row in zip(*(column.to_pylist() for column in frame.columns), strict=True):
        writer.writerow([_plain(value) for value in row])
    return text.getvalue().removesuffix("\n")


def _plain(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(_json(value), ensure_ascii=False, default=str) if isinstance(value, (list, dict)) else value


def _json(value: Any) -> Any:
    """The value, with numbers that JSON does not have as null."""
    if isinstance(value, dict):
        return {key: _json(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_json(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _whole_table(frame: pl.DataFrame) -> str:
    longest = max((len(str(value)) for column in frame for value in (column.name, *column)), default=1)
    whole = {"tbl_rows": -1, "tbl_cols": -1, "fmt_table_cell_list_len": -1, "fmt_str_lengths": longest}
    with pl.Config(tbl_width_chars=65_000, tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True, **whole):
        return f"{frame}"


def _text(frame: pl.DataFrame) -> str:
    """A frame as a table of at most WIDTH characters, or where it has too many columns for that, a line per value."""
    with pl.Config(tbl_rows=100, tbl_cols=-1, tbl_width_chars=60_000, fmt_str_lengths=60,
                   tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True):  # fmt: skip
        text = f"{frame}"
        if len(text.partition("\n")[0]) <= WIDTH:
            return text
        name = max(map(len, frame.columns))
        rows = []
        for number in range(min(len(frame), 100)):
            row = zip(frame.columns, frame.row(number), strict=True)
            lines = (f"{column:>{name}} │ {_cell(value)}" for column, value in row)
            rows.append("\n".join([f"row {number + 1}", *lines]))
        left = [f"… {len(frame) - 100} rows more"] if len(frame) > 100 else []
        return "\n".join([*rows, *left])


def _cell(value: object) -> str:
    """A value as the tables show it."""
    if value is None:
        return "null"
    return f"{value:.6f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
