"""Performance tables of PIM applications and queues: `perf_table`, optionally `queue`, `stages`, `requests`.

CSV or Parquet, with the columns of pipeline.tables (PerfPoint, QueuedApp, PimStage, PimRequest) by their names, or
mapped in `trace.yaml`. An application needs times at two rank counts or more, whichever they are.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from pipeline.drops import MOST_RANKS, Drop, DropSettings, Refusal
from pipeline.readers._items import Reading, Rows, Trace, Yields
from pipeline.readers._queue import load_plain, queue_files, read_queue, within_machine, without
from pipeline.readers._tables import WholeTable, named, one
from pipeline.tables.profiling import SOURCES

FORMAT = "pim_tables"
GIVES = ("perf_points",)

_SOUND = (pl.col("ranks") >= 1) & (pl.col("time_s") > 0) & pl.col("time_s").is_finite()


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:
    """The tables among the files, if a performance table is there."""
    perf_tables = named(files, "perf_table", settings.tables.get("perf_table"))
    return [*perf_tables, *queue_files(files)] if perf_tables else []


def read(drop: Drop, files: list[Path]) -> Yields[None]:
    """The tables. Without a readable performance table the drop is refused."""
    yield Trace(drop.name)
    table = None
    file = one(drop, named(files, "perf_table", drop.settings.tables.get("perf_table")), "perf_table")
    if file is not None:
        with Reading(file) as reading:
            table = yield from load_plain(drop, file, "perf_points")
        yield reading
    if table is None:
        raise Refusal("table_missing", "without its perf_table the drop cannot be used; mend the file")
    points = yield from _usable_points(table, drop.settings.ranks)
    yield Rows("perf_points", points.with_columns(unit=pl.lit(drop.settings.pim_unit)), table.file)
    known = points.filter(_SOUND)["app"].drop_nulls().unique()
    yield from read_queue(drop, files, known)


def _usable_points(table: WholeTable, machine: int | None) -> Yields[pl.DataFrame]:
    """Rows of the applications that have a curve; the others are rejected with their reason."""
    frame = table.frame
    for column in ("best_ranks", "source"):
        if column not in frame.columns:
            frame = frame.with_columns(pl.lit(None, pl.Int64 if column == "best_ranks" else pl.String).alias(column))
    unknown = pl.col("source").is_not_null() & ~pl.col("source").is_in(SOURCES)
    frame = yield from without(
        frame, table, unknown, "source_unknown",
        pl.format("source = {} is not known; known: " + ", ".join(SOURCES), "source"),
    )  # fmt: skip
    frame = yield from within_machine(frame, table, machine or MOST_RANKS)
    # What breaks a rule of its own is rejected later, by that rule; only the other rows can make a table.
    sound = frame.filter(_SOUND)
    faults = {
        app: fault
        for (app,), rows in sound.group_by("app", maintain_order=True)
        if (fault := _fault(app, rows, machine or sound["ranks"].max()))
    }
    reasons = {app: reason for app, (reason, _) in faults.items()}
    details = {app: detail for app, (_, detail) in faults.items()}
    for reason in sorted(set(reasons.values())):
        apps = [app for app, code in reasons.items() if code == reason]
        detail = pl.col("app").replace_strict(details, default=None, return_dtype=pl.String)
        frame = yield from without(frame, table, _SOUND & pl.col("app").is_in(apps), reason, detail)
    return frame


def _fault(app: str | None, rows: pl.DataFrame, machine: int) -> tuple[str, str] | None:
    """Why the times of an application make no table: reason and sentence; None where they do."""
    if app is None:
        return None
    ranks = set(rows["ranks"].to_list())
    best = rows["best_ranks"].drop_nulls().unique().sort().to_list()
    if len(ranks) == 1 and machine > 1:
        only = next(iter(ranks))
        return "one_measurement", f"app {app} has a time at {only} ranks only, which makes no curve; give more"
    if len(best) > 1:
        return "best_ranks_contradict", f"app {app} has best_ranks {best[0]} and {best[1]}; state one"
    if best and best[0] > machine:
        return "best_ranks_too_large", f"app {app} has best_ranks {best[0]}, the machine has {machine}"
    return None
