"""Memory samples: `samples.parquet`, `samples.csv[.gz]` (optional `jobs.*`), or tables mapped by `columns:`.

A sample has a series (job_id or node), a time (time_s or timestamp) and used_gb. Samples stream; timestamps count from
the first one of the drop, which takes a look at the time columns beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from pipeline.drops import Drop, DropSettings, Refusal
from pipeline.readers._columns import Binding, bind, find_absolute, since, to_canonical
from pipeline.readers._files import Table, open_table, stem
from pipeline.readers._items import Note, Reading, Rows, Trace, Yields, rejected
from pipeline.readers._numbers import COMMA, commas_read, mark_of, require_mark
from pipeline.readers._tables import WholeTable, load_table, named, note_extra, one, stated_file
from pipeline.tables import Sample

FORMAT = "memory_samples"
GIVES = ("jobs", "samples")
_REQUIRED = ["used_gb", ("job_id", "node"), ("time_s", "timestamp")]


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:
    """Samples, and jobs beside them; with used_gb mapped, every CSV and Parquet file."""
    jobs = named(files, "jobs", settings.jobs)
    samples = named(files, "samples", settings.samples)
    if not samples and (settings.samples is not None or "used_gb" in settings.columns):
        # A stated file that is missing is for the reader to name, not for the search for a format.
        samples = [file for file in files if stem(file) and file not in jobs]
    return [*samples, *jobs] if samples else []


@dataclass(frozen=True)
class _Source:
    """A file of samples that could be opened."""

    file: Path
    table: Table
    binding: Binding
    mark: str
    """The decimal mark of its numbers, by its first batch."""

    @property
    def time(self) -> str:
        return "timestamp" if "timestamp" in self.binding.sources else "time_s"

    def canonical(self, settings: DropSettings, bad: list[pl.DataFrame]) -> Iterator[pl.DataFrame]:
        """Batches with canonical columns; `bad` takes rows that cannot be read."""
        plain = _plain(self.binding)
        for batch in self.table.batches(self.binding.columns, bad.append):
            require_mark(batch, plain, self.mark)
            batch = commas_read(batch, plain) if self.mark == COMMA else batch
            frame, unreadable = to_canonical(batch, self.binding, Sample, settings.time_zone)
            bad.append(unreadable)
            if "job_id" not in frame.columns:
                frame = frame.with_columns(job_id="node")
            yield frame

    def earliest_us(self, settings: DropSettings) -> int | None:
        """The first timestamp of the file, microseconds since 1970; None where it has relative times."""
        if self.time not in self.binding.absolute:
            return None
        alone = replace(self.binding, sources={self.time: self.binding.sources[self.time]})
        batches = self.table.batches(alone.columns, lambda _: None)
        firsts = (to_canonical(batch, alone, Sample, settings.time_zone)[0][self.time].min() for batch in batches)
        return min((first for first in firsts if first is not None), default=None)


def read(drop: Drop, files: list[Path]) -> Yields[None]:
    """Samples, and jobs where there are some."""
    for key in ("samples", "jobs"):
        stated_file(drop, files, key)
    yield Trace(drop.name)
    jobs_file = one(drop, named(files, "jobs", drop.settings.jobs), "jobs")
    sources: list[_Source] = []
    for file in files:
        if file != jobs_file:
            sources += yield from _opened(drop, file)
    jobs: WholeTable | None = None
    if jobs_file is not None:
        with Reading(jobs_file) as reading:
            jobs = yield from load_table(drop, jobs_file, "jobs")
        yield reading
    origin = yield from _origin(drop, sources, jobs)
    for source in sources:
        bad: list[pl.DataFrame] = []
        with Reading(source.file) as reading:
            for frame in source.canonical(drop.settings, bad):
                yield from rejected(bad, source.file, "samples")
                # Without an origin no timestamp could be read, if there are any.
                yield Rows("samples", since(frame, source.binding, origin or 0), source.file)
        yield from rejected(bad, source.file, "samples")
        yield reading
    if jobs is not None:
        yield from jobs.hand_over(origin)


def _opened(drop: Drop, file: Path) -> Yields[list[_Source]]:
    """The file with the source of each column found; none where it is refused."""
    sources = []
    with Reading(file) as reading:
        table = open_table(file)
        binding = bind(table.names, drop.settings, Sample, _REQUIRED, aliases=["timestamp"])
        binding = _one_time(binding, drop.settings)
        first = next(table.batches(binding.columns, lambda _: None))
        yield from note_extra(drop, file, binding)
        binding = find_absolute(binding, first, drop.settings.dates)
        sources.append(_Source(file, table, binding, mark_of(first, _plain(binding))))
    yield reading
    return sources


def _plain(binding: Binding) -> list[str]:
    """Source columns of numbers that are no timestamps."""
    return [
        source.names[0]
        for name, source in binding.sources.items()
        if name in ("used_gb", "time_s") and name not in binding.absolute
    ]


def _one_time(binding: Binding, settings: DropSettings) -> Binding:
    """The binding with one of time_s and timestamp: the one mapped, else time_s."""
    if not {"time_s", "timestamp"} <= binding.sources.keys():
        return binding
    drop = "time_s" if "timestamp" in settings.columns and "time_s" not in settings.columns else "timestamp"
    return replace(binding, sources={name: source for name, source in binding.sources.items() if name != drop})


def _origin(drop: Drop, sources: list[_Source], jobs: WholeTable | None) -> Yields[int | None]:
    """The earliest timestamp of samples and jobs; None where all times are relative already.

    A job is submitted before its first sample, so the origin is the earliest of both, lest submissions be negative.
    """
    firsts = []
    for source in sources:
        try:
            firsts.append(source.earliest_us(drop.settings))
        except Refusal:
            # The file is cut off or damaged; the reading proper says so and keeps what stands before.
            continue
    of_jobs = jobs.earliest_us() if jobs is not None else None
    known = [first for first in [*firsts, of_jobs] if first is not None]
    if not known:
        return None
    origin = min(known)
    what = "submission" if origin == of_jobs and origin not in firsts else "sample"
    yield Note(drop.name, f"Times count from the first {what}, {_iso(origin)}.")
    return origin


def _iso(moment_us: int) -> str:
    return pl.Series([moment_us]).cast(pl.Datetime("us")).dt.strftime("%Y-%m-%dT%H:%M:%S%.fZ")[0]
