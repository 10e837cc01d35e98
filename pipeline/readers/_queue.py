"""The queue of a PIM machine beside what its applications take: `queue`, `stages`, `requests`, as CSV or Parquet."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import polars as pl

from pipeline.drops import Drop, Refusal
from pipeline.readers._items import Reading, Rejected, Rows, Yields
from pipeline.readers._tables import WholeTable, load_table, named, one
from pipeline.runtime.wording import did_you_mean

TABLES = {"queue": "queues", "stages": "pim_stages", "requests": "pim_requests"}
"""File names without suffix, and the canonical tables that they hold."""


def queue_files(files: list[Path]) -> list[Path]:
    """The files among those of a drop that hold these tables."""
    return [file for name in TABLES for file in named(files, name)]


def read_queue(drop: Drop, files: list[Path], apps: Iterable[str]) -> Yields[None]:
    """The tables that are there, without rows of other applications than `apps`."""
    known = sorted(apps)
    for name, table in TABLES.items():
        file = one(drop, named(files, name), name)
        if file is None:
            continue
        with Reading(file) as reading:
            loaded = yield from load_plain(drop, file, table)
            rows = yield from of_known_apps(loaded, known)
            if name == "requests" and drop.settings.ranks:
                rows = yield from within_machine(rows, loaded, drop.settings.ranks)
            yield Rows(table, rows, file)
        yield reading


def load_plain(drop: Drop, file: Path, table: str, needed: list[str] | None = None) -> Yields[WholeTable]:
    """Read a table whose times are seconds; raises Refusal where one is a timestamp.

    needed: columns that the file must have; by default those that the table must.
    """
    loaded = yield from load_table(drop, file, table, needed)
    if loaded.binding.absolute:
        column = sorted(loaded.binding.absolute)[0]
        raise Refusal("column_type", f"column {column} holds timestamps, where a time in seconds would be right")
    return loaded


def of_known_apps(table: WholeTable, known: list[str]) -> Yields[pl.DataFrame]:
    """Rows of applications that have a performance table."""
    strange = [app for app in table.frame["app"].drop_nulls().unique().sort().to_list() if app not in known]
    sentences = {app: f"app {app!r} has no performance table{did_you_mean(app, known)}" for app in strange}
    detail = pl.col("app").replace_strict(sentences, default=None, return_dtype=pl.String)
    return (yield from without(table.frame, table, pl.col("app").is_in(strange), "app_unknown", detail))


def within_machine(frame: pl.DataFrame, table: WholeTable, machine: int) -> Yields[pl.DataFrame]:
    """Rows on no more ranks than the machine has."""
    detail = pl.format("app {} on {} ranks, the machine has " + str(machine), "app", "ranks")
    return (yield from without(frame, table, pl.col("ranks") > machine, "larger_than_machine", detail))


def without(frame: pl.DataFrame, table: WholeTable, bad: pl.Expr, reason: str, detail: pl.Expr) -> Yields[pl.DataFrame]:
    """The frame without bad rows, which are rejected."""
    bad = bad.fill_null(False)
    # A sentence with a missing value in it would be missing as a whole.
    sentence = detail.fill_null(f"{reason.replace('_', ' ')}; the value that would tell more is missing")
    rejected = frame.filter(bad).select("row", pl.lit(reason).alias("reason"), sentence.alias("detail"))
    if rejected.height:
        yield Rejected(rejected, table.file, table.name)
    return frame.filter(~bad)
