"""Real-time tasks on a GPU: `tasks`, a row per task, one task set or several.

CSV or Parquet, with the columns of pipeline.tables (Task) by their names, or mapped in `trace.yaml`: task_id, period,
deadline, work, kind (compute or memory), optionally serial_fraction, conflict_factor and taskset_id. Times are in any
one unit.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from pipeline.drops import Drop, DropSettings, Refusal
from pipeline.readers._extent import rows
from pipeline.readers._items import Note, Reading, Rows, Trace, Yields, counting
from pipeline.readers._queue import without
from pipeline.readers._tables import WholeTable, load_table, named, one
from pipeline.runtime.wording import did_you_mean
from pipeline.tables import GIVEN

FORMAT = "tasks"
GIVES = ("tasks",)
KINDS = ("compute", "memory")
BYTES_A_TASK = 320
"""Peak memory of a task (docs/guides/scale-out.md)."""

_SOUND = pl.all_horizontal(
    pl.col("task_id").is_not_null(),
    *((pl.col(name) > 0) & pl.col(name).is_finite() for name in ("period", "deadline", "work")),
    ((pl.col("serial_fraction") >= 0) & pl.col("serial_fraction").is_finite()).fill_null(True),
    ((pl.col("conflict_factor") >= 1) & pl.col("conflict_factor").is_finite()).fill_null(True),
).fill_null(False)


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:
    """The table among the files."""
    return named(files, "tasks", settings.tables.get("tasks"))


def read(drop: Drop, files: list[Path]) -> Yields[None]:
    """The tasks, of each set all or none. Without a readable table the drop is refused."""
    yield Trace(drop.name)
    table = None
    file = one(drop, recognises(files, drop.settings), "tasks")
    if file is not None:
        with Reading(file) as reading:
            table = yield from _loaded(drop, file)
        yield reading
    if table is None:
        raise Refusal("table_missing", "without its table tasks the drop cannot be used; mend the file")
    yield Rows("tasks", (yield from _whole_sets(table)).with_columns(origin=pl.lit(GIVEN)), table.file)


def memory_bytes(drop: Drop, files: list[Path]) -> int:
    """Peak memory of reading the table."""
    return BYTES_A_TASK * sum(rows(file) for file in recognises(files, drop.settings))


def _loaded(drop: Drop, file: Path) -> Yields[WholeTable]:
    """The table with every optional column; without taskset_id all tasks are one set, named like the drop."""
    table, lost = yield from counting(load_table(drop, file, "tasks"))
    frame = table.frame
    for column in ("serial_fraction", "conflict_factor"):
        if column not in frame.columns:
            frame = frame.with_columns(pl.lit(None, pl.Float64).alias(column))
    if lost and ("taskset_id" not in frame.columns or frame["taskset_id"].n_unique() == 1):
        raise Refusal(
            "taskset_incomplete",
            f"{lost} of the set's tasks cannot be read, and without them it would be lighter than it is; mend the rows",
        )
    if lost:
        yield Note(
            drop.name, f"{lost} rows could not be read; the sets that they belong to are lighter than they were."
        )
    if "taskset_id" not in frame.columns:
        frame = frame.with_columns(taskset_id=pl.lit(drop.name))
    detail = pl.format("task {} is of no set; give its taskset_id", "task_id")
    frame = yield from without(frame, table, pl.col("taskset_id").is_null(), "taskset_id_missing", detail)
    return WholeTable(table.name, table.file, frame, table.binding)


def _whole_sets(table: WholeTable) -> Yields[pl.DataFrame]:
    """Tasks of the sets that have all of theirs, and the rows that are rejected by their own rules later."""
    frame = table.frame
    strange = frame.filter(~pl.col("kind").is_in(KINDS))["kind"].drop_nulls().unique().sort().to_list()
    sentences = {
        kind: f"kind = {kind[:80]} is not known; known: {', '.join(KINDS)}{did_you_mean(kind, KINDS)}"
        for kind in strange
    }
    unknown = pl.col("kind").is_in(strange)
    # The same row again is no other task; another one of the same name is, and neither may be left out.
    numbers = pl.struct("period", "deadline", "work", "kind", "serial_fraction", "conflict_factor")
    contradictory = (numbers.n_unique().over("taskset_id", "task_id") > 1) & pl.col("task_id").is_not_null()
    bad = ~_SOUND | unknown.fill_null(True) | contradictory
    incomplete = set(frame.filter(bad)["taskset_id"].drop_nulls().to_list())
    detail = pl.col("kind").replace_strict(sentences, default=None, return_dtype=pl.String)
    frame = frame.with_columns(contradictory=contradictory)
    frame = yield from without(frame, table, unknown, "kind_unknown", detail)
    detail = pl.format(
        "task {} of set {} is there with different numbers; each needs an id of its own", "task_id", "taskset_id"
    )
    contradictory = pl.col("contradictory") & _SOUND & pl.col("kind").is_not_null()
    frame = (yield from without(frame, table, contradictory, "task_contradictory", detail)).drop("contradictory")
    others = _SOUND & pl.col("kind").is_not_null() & pl.col("taskset_id").is_in(sorted(incomplete))
    detail = pl.format(
        "another task of set {} was rejected, and without it the set would be lighter than it is", "taskset_id"
    )
    return (yield from without(frame, table, others, "taskset_incomplete", detail))
