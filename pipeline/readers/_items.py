"""What a reader yields: rows of canonical tables, and what is to be said of them. `_deliver` takes it.

A reader is a generator. A part of it that reads for another part is one, too, and is asked by `yield from`, which gives
what the part returns.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import ClassVar, TypeVar

import polars as pl

from pipeline.drops import Refusal
from pipeline.readers._machine import HEADER
from pipeline.tables.series import JobSeries


@dataclass(frozen=True)
class Trace:
    """A trace, and what its files say of the machine; `trace.yaml` goes before.

    nodes_origin: where `nodes` comes from; unit: what it and the jobs' nodes count (see _machine), by default what
    trace.yaml says. cores: how many of these one of the `nodes` of trace.yaml has, by default cpus_per_node where cores
    are counted. partition: that of trace.yaml whose nodes are meant.
    """

    trace: str
    nodes: int | None = None
    nodes_origin: str = HEADER
    node_memory_gb: float | None = None
    unit: str | None = None
    cores: int | None = None
    partition: str | None = None


@dataclass(frozen=True)
class Note:
    """What a reader of results should know about a trace."""

    trace: str
    sentence: str


@dataclass(frozen=True)
class Warn:
    """What makes answers about a trace doubtful; memory_origin: why its used memory looks like a default."""

    trace: str
    sentence: str
    memory_origin: str | None = None


@dataclass(frozen=True)
class Rows:
    """Rows of a canonical table from a file: its columns (nullable ones may be absent) and `row`, from 1 in the file.

    Without a column `trace` they belong to the trace named like the drop. They are checked by the table's rules.
    """

    table: str
    frame: pl.DataFrame
    file: Path


@dataclass(frozen=True)
class Ordered:
    """A piece of a table of the drop's trace that is too long to hold.

    Rows are as those of Rows, with `file`, a place in `files`. The pieces come in the order that the table is sorted
    by, no key twice.
    """

    table: str
    frame: pl.DataFrame
    files: list[Path]


@dataclass(frozen=True)
class Whole:
    """A canonical table as a whole, checked by the reader."""

    table: str
    frame: pl.DataFrame


@dataclass(frozen=True)
class Piece:
    """A piece of a trace's table that is too large to hold, checked by the reader; `trace` is added.

    rows: of how many rows of files it is made, where they are not as many.
    """

    table: str
    trace: str
    frame: pl.DataFrame
    rows: int | None = None


@dataclass(frozen=True)
class Series:
    """The samples of complete jobs, segmented at once and not kept; their rows are told by Counted.

    `jobs` and `nodes` hold the names that numbers in `series` represent.
    """

    trace: str
    jobs: pl.Series
    nodes: pl.Series
    series: JobSeries


@dataclass(frozen=True)
class Rejected:
    """Rows of a file that could not even be parsed: row, reason, detail. trace: by default the drop's."""

    frame: pl.DataFrame
    file: Path
    table: str
    trace: str | None = None


@dataclass(frozen=True)
class Counted:
    """Rows of a file that come in another shape, or are left out."""

    file: Path
    rows: int


@dataclass(frozen=True)
class Tally:
    """A count of a table's rows, with its reason. With `file` they are counted as read from it, too."""

    fate: ClassVar[str]
    trace: str
    table: str
    reason: str
    rows: int
    detail: str
    file: Path | None = None


class LeftOut(Tally):
    """Valid rows that are of no use here (a job that shared its nodes, a sample of no job)."""

    fate = "left_out"


class Lost(Tally):
    """Rows that a file announces and that cannot be read, for which the file was refused in part."""

    fate = "rejected"


class Observed(Tally):
    """Rows that deserve a remark and are counted as used, rejected or left out besides."""

    fate = "observed"


@dataclass(frozen=True)
class Refused:
    """Why the drop was not wholly read."""

    refusal: Refusal


@dataclass
class Reading:
    """A file that is read inside a `with`, and yielded behind it; a Refusal raised inside refuses it and no other."""

    file: Path
    refusal: Refusal | None = field(default=None, init=False)

    def __enter__(self) -> Reading:
        return self

    def __exit__(self, _: type | None, error: BaseException | None, trace: TracebackType | None) -> bool:
        self.refusal = error if isinstance(error, Refusal) else None
        return self.refusal is not None


Item = Trace | Note | Warn | Rows | Ordered | Whole | Piece | Series | Rejected | Counted | Tally | Refused | Reading
_Result = TypeVar("_Result")
Yields = Generator[Item, None, _Result]
"""Items, and what the generator returns to `yield from`."""


def rejected(bad: list[pl.DataFrame], file: Path, table: str, trace: str | None = None) -> Iterator[Rejected]:
    """Frames of rows that could not be parsed, which are taken out of the list."""
    while bad:
        yield Rejected(bad.pop(0), file, table, trace)


def counting(items: Yields[_Result]) -> Yields[tuple[_Result, int]]:
    """The items; returns what they return, and how many rows they rejected."""
    count = 0
    while True:
        try:
            item = next(items)
        except StopIteration as end:
            return end.value, count
        count += item.frame.height if isinstance(item, Rejected) else 0
        yield item
