"""Performance tables of PIM applications and queues: `perf_table`, optionally `queue`, `stages`, `requests`.

CSV or Parquet, with the columns of pipeline.tables (PerfPoint, QueuedApp, PimStage, PimRequest) by their names, or
mapped in `trace.yaml`. A table needs a time at every rank count, or at least at the profile points of PIM-CARE.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from pipeline.drops import Drop, DropSettings, Refusal
from pipeline.profiling import SOURCES, profile_points
from pipeline.readers._sink import Sink
from pipeline.readers._tables import WholeTable, load_table, named, one
from pipeline.wording import did_you_mean

FORMAT = "pim_tables"
GIVES = ("perf_points",)

TABLES = {"perf_table": "perf_points", "queue": "queues", "stages": "pim_stages", "requests": "pim_requests"}
"""File names without suffix, and the canonical tables that they hold."""


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:  # noqa: ARG001
    """The tables among the files, if a performance table or a queue is there."""
    found = {name: named(files, name) for name in TABLES}
    if not found["perf_table"] and not found["queue"]:
        return []
    return [file for files_of_table in found.values() for file in files_of_table]


def read(drop: Drop, files: list[Path], sink: Sink) -> None:
    """Hand the tables to the sink. Without a readable performance table the drop is refused."""
    sink.trace(drop.name)
    loaded: dict[str, WholeTable] = {}
    for name, table in TABLES.items():
        file = one(drop, named(files, name), name)
        if file is None:
            continue
        with sink.reading(file):
            loaded[name] = _load(drop, file, table, sink)
    if "perf_table" not in loaded:
        raise Refusal(
            "table_missing",
            "without a perf_table (app, ranks, time_s) nobody knows how long the applications run; add it or mend it",
        )
    points = _usable_points(loaded["perf_table"], drop.settings.ranks, sink)
    sink.rows("perf_points", points, loaded["perf_table"].file)
    known = sorted(points["app"].unique())
    for name in ("queue", "stages", "requests"):
        if name in loaded:
            rows = _of_known_apps(loaded[name], known, sink)
            if name == "requests" and drop.settings.ranks:
                rows = _within_machine(rows, loaded[name], drop.settings.ranks, sink)
            sink.rows(TABLES[name], rows, loaded[name].file)


def _load(drop: Drop, file: Path, table: str, sink: Sink) -> WholeTable:
    loaded = load_table(drop, file, table, sink)
    if loaded.binding.absolute:
        column = sorted(loaded.binding.absolute)[0]
        raise Refusal("column_type", f"column {column} holds timestamps, where a time in seconds would be right")
    return loaded


def _usable_points(table: WholeTable, machine: int | None, sink: Sink) -> pl.DataFrame:
    """Rows of the applications that have a whole table or profile; the others are rejected with their reason."""
    frame = table.frame
    for column in ("best_ranks", "source"):
        if column not in frame.columns:
            frame = frame.with_columns(pl.lit(None, pl.Int64 if column == "best_ranks" else pl.String).alias(column))
    unknown = pl.col("source").is_not_null() & ~pl.col("source").is_in(SOURCES)
    frame = _without(
        frame, table, sink, unknown, "source_unknown",
        pl.format("source = {} is not known; known: " + ", ".join(SOURCES), "source"),
    )  # fmt: skip
    if machine:
        frame = _within_machine(frame, table, machine, sink)
    # What breaks a rule of its own is left to the sink, which says which; only the other rows can make a table.
    is_sound = (pl.col("ranks") >= 1) & (pl.col("time_s") > 0) & pl.col("time_s").is_finite()
    sound = frame.filter(is_sound)
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
        frame = _without(frame, table, sink, is_sound & pl.col("app").is_in(apps), reason, detail)
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
    holes = sorted(set(profile_points(machine)) - ranks)
    if holes:
        first = ", ".join(map(str, holes[:5]))
        return (
            "ranks_missing",
            f"app {app} has no time at {first} ranks; give all from 1 to {machine}, or at least the profile points "
            f"{', '.join(map(str, profile_points(machine)))}",
        )
    if len(best) > 1:
        return "best_ranks_contradict", f"app {app} has best_ranks {best[0]} and {best[1]}; state one"
    if best and best[0] > machine:
        return "best_ranks_too_large", f"app {app} has best_ranks {best[0]}, the machine has {machine}"
    return None


def _of_known_apps(table: WholeTable, known: list[str], sink: Sink) -> pl.DataFrame:
    """Rows of applications that have a performance table."""
    strange = [app for app in table.frame["app"].drop_nulls().unique().sort().to_list() if app not in known]
    sentences = {app: f"app {app!r} has no performance table{did_you_mean(app, known)}" for app in strange}
    detail = pl.col("app").replace_strict(sentences, default=None, return_dtype=pl.String)
    return _without(table.frame, table, sink, pl.col("app").is_in(strange), "app_unknown", detail)


def _within_machine(frame: pl.DataFrame, table: WholeTable, machine: int, sink: Sink) -> pl.DataFrame:
    detail = pl.format("app {} on {} ranks, the machine has " + str(machine), "app", "ranks")
    return _without(frame, table, sink, pl.col("ranks") > machine, "larger_than_machine", detail)


def _without(
    frame: pl.DataFrame, table: WholeTable, sink: Sink, bad: pl.Expr, reason: str, detail: pl.Expr
) -> pl.DataFrame:
    """The frame without bad rows, which go to the sink."""
    bad = bad.fill_null(False)
    rejected = frame.filter(bad).select("row", pl.lit(reason).alias("reason"), detail.alias("detail"))
    if rejected.height:
        sink.reject_rows(rejected, table.file, table=table.name)
    return frame.filter(~bad)
