"""Small tables of a drop (jobs, phases, profiles) as canonical frames; samples stream instead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import dataframely as dy
import polars as pl

from pipeline import tables
from pipeline.drops import Drop, Refusal
from pipeline.readers._columns import Binding, bind, find_absolute, since, to_canonical
from pipeline.readers._extent import rows as rows_of
from pipeline.readers._files import open_table, stem
from pipeline.readers._items import Note, Rejected, Rows, Yields, rejected
from pipeline.readers._numbers import with_points
from pipeline.runtime.wording import did_you_mean, listing

MOST_ROWS, BYTES_A_ROW = 1 << 22, 2
"""Rows that a table held as a whole may have, and the least bytes of its file for each row beyond them: a real table
has more, and a small file that represents a thousand million rows is a trap."""
ROW = "row"
"""What trace.yaml maps job_id to where a table has no ids: each row is a job, numbered as in the file."""
HELD_BYTES_A_ROW = 440
"""Peak memory of a row of a job table with its phases (docs/guides/scale-out.md)."""


@dataclass(frozen=True)
class WholeTable:
    """A table read as a whole; its absolute times still count from 1970 (microseconds)."""

    name: str
    file: Path
    frame: pl.DataFrame
    binding: Binding

    def earliest_us(self) -> int | None:
        """The first of its absolute times, microseconds since 1970; None where it has none."""
        times = [self.frame[column].min() for column in self.binding.absolute]
        return min((time for time in times if time is not None), default=None)

    def hand_over(self, origin_us: int | None, **constant: str) -> Yields[None]:
        """The rows with times since the origin, and constant columns."""
        frame = since(self.frame, self.binding, origin_us) if origin_us is not None else self.frame
        yield Rows(
            self.name, frame.with_columns(**{name: pl.lit(value) for name, value in constant.items()}), self.file
        )


def required(schema: type[dy.Schema]) -> list[str]:
    """Columns that a source of the table must have."""
    return [name for name, c in schema.columns().items() if not c.nullable and name not in ("trace", "origin")]


def load_table(
    drop: Drop, file: Path, name: str, needed: list[str] | None = None, schema: type[dy.Schema] | None = None
) -> Yields[WholeTable]:
    """Read a CSV or Parquet file as canonical table `name`, or what will become one, of another schema.

    needed: columns that the file must have, by default those the schema requires. Rows with values that cannot be read
    are rejected, columns that are not used go into the trace's note. Raises Refusal for a file that cannot be read or
    lacks columns.
    """
    schema = schema or tables.CANONICAL[name]
    table = open_table(file)
    own = drop.settings.columns.get("job_id")
    numbers_rows = own is not None and own.names == [ROW] and ROW not in table.names
    names = [*table.names, ROW] if numbers_rows else table.names
    binding = bind(names, drop.settings, schema, needed or required(schema))
    bad: list[pl.DataFrame] = []
    try:
        columns = [name for name in binding.columns if name in table.names]
        batches = list(_held(table.batches(columns, bad.append), file.stat().st_size))
    finally:
        yield from rejected(bad, file, name)
    if not batches:
        raise Refusal("file_empty", "the file holds no rows")
    whole = pl.concat(batches)
    binding = find_absolute(binding, whole, drop.settings.dates)
    numbers = binding.numbers(schema)
    counts = [name for name, source in binding.sources.items() if schema.columns()[name].dtype.is_integer()]
    whole = with_points(whole, numbers, [binding.sources[name].names[0] for name in counts])
    frame, unreadable = to_canonical(whole, binding, schema, drop.settings.time_zone)
    yield Rejected(unreadable, file, name)
    yield from note_extra(drop, file, binding)
    return WholeTable(name, file, frame, binding)


def held_bytes(files: Iterable[Path]) -> int:
    """Peak memory of reading job tables and their phases."""
    return HELD_BYTES_A_ROW * sum(rows_of(file) for file in files)


def _held(batches: Iterable[pl.DataFrame], size: int) -> Iterator[pl.DataFrame]:
    """The batches of a table held as a whole, of a file of `size` bytes; raises Refusal where it has too many rows."""
    rows, most = 0, max(MOST_ROWS, size // BYTES_A_ROW)
    for batch in batches:
        rows += batch.height
        if rows > most:
            raise Refusal(
                "table_too_long",
                f"the table has more than {most} rows in {size} bytes, and tables other than samples are held in "
                "memory; split it into several drops",
            )
        yield batch


def note_extra(drop: Drop, file: Path, binding: Binding) -> Yields[None]:
    """Name the columns of a file that are left out."""
    if binding.extra:
        yield Note(drop.name, f"Columns of {file.name} left out: {listing(binding.extra)}.")


def named(files: list[Path], name: str, stated: str | None = None) -> list[Path]:
    """Files called `stated`, or `<name>.parquet`, `<name>.csv`, `<name>.csv.gz`."""
    return [file for file in files if (file.name in (stated, f"{stated}.gz") if stated else stem(file) == name)]


def one(drop: Drop, files: Sequence[Path], name: str) -> Path | None:
    """The only file of a table, None without one; raises Refusal where there are several."""
    if len(files) > 1:
        listing = ", ".join(file.relative_to(drop.path).as_posix() for file in files)
        raise Refusal("table_repeated", f"the table {name} is there more than once ({listing}); keep one of the files")
    return files[0] if files else None


def stated_file(drop: Drop, files: list[Path], key: str) -> None:
    """Raise Refusal where `trace.yaml` states a file (`samples:`, `jobs:`) that is not in the drop."""
    name = getattr(drop.settings, key)
    names = sorted(file.name for file in files)
    if name is not None and not {name, f"{name}.gz"} & {*names}:
        raise Refusal(
            "file_unknown",
            f"{key}: {name!r} is no file of the drop{did_you_mean(name, names)} Found: {listing(names)}.",
            file="trace.yaml",
        )
