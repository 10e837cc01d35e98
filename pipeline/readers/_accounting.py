"""Accounting logs of batch systems: lines (or rows) of records in any number of files, which are one trace together.

A reader parses a batch of them into records, one per line, with the columns of RECORD; what is common lies here: which
records count, memory per node, jobs that share nodes, and times since the first submission.

A site's system begins a new file every day, month or so many bytes, and a job may wait in one and end in another, so
all files of a drop are one log.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl

from pipeline.drops import ColumnSource, Drop, Refusal
from pipeline.readers import _reused, _shared_nodes
from pipeline.readers._columns import MICROSECONDS, Binding, since, to_canonical
from pipeline.readers._files import first_lines, line_blocks
from pipeline.readers._items import LeftOut, Note, Observed, Reading, Refused, Rejected, Rows, Trace, Yields
from pipeline.readers._numbers import GB_PER_BYTE
from pipeline.tables import Job

RECORD = {
    "row": pl.Int64(),
    "reason": pl.String(),
    "detail": pl.String(),
    "job_id": pl.String(),
    "submit_s": pl.String(),
    "start_s": pl.String(),
    "end_s": pl.String(),
    "nodes": pl.Int64(),
    "cpus": pl.Int64(),
    "walltime_s": pl.Float64(),
    "requested_memory_gb": pl.Float64(),
    "used_memory_gb": pl.Float64(),
    "user": pl.String(),
    "name": pl.String(),
    "partition": pl.String(),
    "hosts": pl.List(pl.String()),
    "unknown": pl.String(),
}
"""Columns of records. Times are texts, memory is per node, `hosts` has the names of the job's nodes, each once.

reason: why the record is no job that ran (a key of what a reader calls `left_out`), or what is wrong with it, in which
case `detail` says what would be right; null: the job counts. unknown: the reason why a value that a job need not have
could not be read.
"""
LONGEST_SPAN_S = 3 * 366 * 86400.0
"""From a job's submission to its end: a time beyond is none of the file (0, or another field read as one)."""
BYTES_A_JOB = 1300
"""Peak memory of a record that is a job, measured with PBS: 300,000 jobs in 210 MB took 0.37 GB."""

_TIMES = ("submit_s", "start_s", "end_s")
_BINDING = Binding(
    {name: ColumnSource(**{"from": [name]}) for name in ("job_id", *_TIMES, "user", "name")}, (), frozenset(_TIMES)
)
_NO_TEXT = (".parquet", ".json", ".yaml", ".yml", ".json.gz", ".sqlite", ".db")
_COMMON = {
    "requeued": "runs of jobs that ran again, of the same number and submission; the last of a job counts",
    "never_started": "jobs that ended before they started",
}


class System(NamedTuple):
    """What a batch system's records are.

    parse: records of a batch of lines (or rows of a table); left_out: reasons that it gives to records that are no
    jobs, in words; only_cpus: whether the system counts processors and no nodes.
    """

    parse: Callable[[pl.DataFrame], pl.DataFrame]
    left_out: dict[str, str]
    only_cpus: bool = False


def as_records(frame: pl.DataFrame) -> pl.DataFrame:
    """The columns of RECORD, null where the frame has none."""
    return frame.select(
        pl.col(name).cast(dtype) if name in frame.columns else pl.lit(None, dtype).alias(name)
        for name, dtype in RECORD.items()
    )


def with_sign(files: Iterable[Path], sign: re.Pattern[str]) -> list[Path]:
    """The text files, plain or gzip, of any name, whose first line that is no comment looks like a record."""
    return [file for file in files if not file.name.lower().endswith(_NO_TEXT) and _begins(file, sign)]


def _begins(file: Path, sign: re.Pattern[str]) -> bool:
    line = next((line for line in first_lines(file) if line.strip() and not line.startswith(("#", ";"))), "")
    return sign.match(line) is not None


def text_batches(file: Path) -> Iterator[pl.DataFrame]:
    """The lines of a file, block by block: row (from 1) and text, without blank ones and comments."""
    for first, block in line_blocks(file):
        text = block.decode(errors="replace").removesuffix("\n")
        lines = pl.DataFrame({"text": [text]}).select(pl.col("text").str.split("\n").explode().str.strip_suffix("\r"))
        lines = lines.with_row_index("row", offset=first).with_columns(pl.col("row").cast(pl.Int64))
        yield lines.filter(pl.col("text").str.contains(r"^\s*[^#\s]"))


def read(
    drop: Drop,
    files: Sequence[Path],
    system: System,
    batches: Callable[[Path], Iterator[pl.DataFrame]] = text_batches,
) -> Yields[bool]:
    """The jobs of all files, as trace `<drop>`. Returns whether cores were counted in place of nodes.

    A file that is cut off is refused, and what stands before the cut is used.
    """
    yield Trace(drop.name)
    log = _Log(drop, system)
    for number, file in enumerate(files):
        with Reading(file) as reading:
            empty = True
            for lines in batches(file):
                empty = empty and lines.is_empty()
                yield from log.take(number, file, system.parse(lines))
            if empty:
                raise Refusal("file_empty", "the file holds no records")
        yield reading
    return (yield from log.hand_over(files))


class _Log:
    """The records of a drop."""

    def __init__(self, drop: Drop, system: System):
        self.drop, self.left_out = drop, system.left_out | _COMMON
        self.only_cpus = system.only_cpus
        self.rejected = 0
        self.jobs: list[pl.DataFrame] = []
        self.hosts: dict[str, int] = {}

    def take(self, number: int, file: Path, records: pl.DataFrame) -> Yields[None]:
        """Records of a file: what is no job is counted, what is damaged rejected, the rest kept."""
        yield from self._count(file, records.filter(pl.col("reason").is_in(list(self.left_out))))
        yield from self._reject(
            file, records.filter(pl.col("reason").is_not_null(), ~pl.col("reason").is_in(list(self.left_out)))
        )
        valid_records = records.filter(pl.col("reason").is_null())
        timed, unreadable = to_canonical(valid_records, _BINDING, Job, self.drop.settings.time_zone)
        yield from self._reject(file, unreadable)
        jobs = timed.join(valid_records.select(pl.exclude(_BINDING.columns)), on="row", maintain_order="left")
        submit, start, end = (pl.col(name) for name in _TIMES)
        span_s = (end - submit) / MICROSECONDS
        faults = jobs.select(
            "row",
            reason=pl.when(start < submit)
            .then(pl.lit("start_before_submit"))
            .when((span_s > LONGEST_SPAN_S) | (submit <= 0))
            .then(pl.lit("outside_span")),
            detail=pl.when(start < submit)
            .then(pl.format("job {} starts {} s before its submission", "job_id", (submit - start) / MICROSECONDS))
            .otherwise(
                pl.format(
                    "job {} was submitted {} days before its end, where three years are the most",
                    "job_id",
                    (span_s / 86400).round(),
                )
            ),
        ).drop_nulls("reason")
        yield from self._reject(file, faults)
        good = jobs.join(faults, on="row", how="anti", maintain_order="left")
        for reason, count in good["unknown"].drop_nulls().value_counts().sort("unknown").iter_rows():
            what = "not known of the job, which is used without it"
            yield Observed(self.drop.name, "jobs", reason, count, what)
        self.jobs.append(good.with_columns(self._numbered(good["hosts"]), file=pl.lit(number)))

    def hand_over(self, files: Sequence[Path]) -> Yields[bool]:
        """The last run of each job, which has a number and a submission. Returns whether cores are counted."""
        if not self.jobs:
            return False
        jobs = pl.concat(self.jobs)
        self.jobs.clear()
        # Of runs that end together the later record counts.
        jobs = jobs.sort("end_s", "file", "row").with_columns(
            reason=pl.when(~pl.struct("job_id", "submit_s").is_last_distinct()).then(pl.lit("requeued"))
        )
        for number, file in enumerate(files):
            yield from self._count(file, jobs.filter(pl.col("reason").is_not_null(), pl.col("file") == number))
        jobs = jobs.filter(pl.col("reason").is_null())
        origin = jobs["submit_s"].min() or 0
        jobs, cores = yield from _shared_nodes.on_machine(
            self.drop.name,
            jobs,
            _shared_nodes.of_numbers(jobs["hosts"]),
            self.drop.settings,
            allocated=not self.only_cpus or _shared_nodes.cores_of_node(self.drop.settings) is not None,
            only_cpus=self.only_cpus,
        )
        if not jobs.height and not self.rejected:
            yield Refused(Refusal("no_jobs", "the records are of no job that ran to its end; get those of more time"))
        if jobs.height:
            yield Note(self.drop.name, f"Times count from the first submission, Unix time {origin / MICROSECONDS:.0f}.")
        ran_s = (pl.col("end_s") - pl.col("start_s")) / MICROSECONDS
        # A job that ends before it starts is rejected for that, by the rule of jobs.
        jobs = since(jobs.with_columns(runtime_s=pl.when(ran_s >= 0).then(ran_s)), _BINDING, origin)
        # A log is in the order of ends, which nobody knew when jobs were submitted together: their numbers tell it.
        numbers = (pl.col("job_id").str.extract_all(r"\d{1,18}").list.get(n, null_on_oob=True) for n in (0, 1))
        order = ["submit_s", *(number.cast(pl.Int64) for number in numbers), "file", "row"]
        jobs, sentence = _reused.unique_ids(jobs.sort(order).with_row_index("position"))
        if sentence:
            yield Note(self.drop.name, sentence)
        for number, file in enumerate(files):
            file_jobs = jobs.filter(pl.col("file") == number)
            if file_jobs.height:
                yield Rows("jobs", file_jobs.drop("file", "hosts", "reason", "detail", "cpus", "unknown"), file)
        return cores

    def _count(self, file: Path, records: pl.DataFrame) -> Yields[None]:
        for reason, count in records.group_by("reason").len().sort("reason").iter_rows():
            yield LeftOut(self.drop.name, "jobs", reason, count, self.left_out[reason], file)

    def _reject(self, file: Path, records: pl.DataFrame) -> Yields[None]:
        if records.height:
            self.rejected += records.height
            yield Rejected(records.select("row", "reason", "detail"), file, "jobs")

    def _numbered(self, hosts: pl.Series) -> pl.Series:
        """Names of nodes as numbers, which all files share."""
        for name in hosts.explode().drop_nulls().unique(maintain_order=True):
            self.hosts.setdefault(name, len(self.hosts))
        number = pl.element().replace_strict(self.hosts, default=None, return_dtype=pl.Int32)
        return hosts.to_frame("hosts").select(pl.col("hosts").list.eval(number))["hosts"]


def seconds(text: pl.Expr) -> pl.Expr:
    """Seconds (Float64) in `120:00:00`, `20:00` or plain `3600`; null where a text is neither."""
    parts = text.str.strip_chars().str.extract_groups(r"^(?:(?:(\d{1,7}):)?(\d{1,7}):)?(\d{1,10}(?:\.\d+)?)$")
    hours, minutes, rest = (parts.struct.field(str(n)).cast(pl.Float64, strict=False) for n in (1, 2, 3))
    return hours.fill_null(0) * 3600 + minutes.fill_null(0) * 60 + rest


_UNITS = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4, "p": 1024**5}
_WORD = 8


def unreadable(values: dict[str, str]) -> pl.Expr:
    """The reason of the first of the columns that is null though the text (its value) is there, for `unknown`."""
    return pl.coalesce(
        pl.when(pl.col(text).is_not_null() & pl.col(column).is_null()).then(pl.lit(f"{column}_unreadable"))
        for column, text in values.items()
    )


def size_gb(text: pl.Expr) -> pl.Expr:
    """GB (10^9 bytes, Float64) in a size as `16gb`, `4096kb`, `512M`, `2kw` (words of 8 bytes) or plain bytes."""
    parts = text.str.strip_chars().str.to_lowercase().str.extract_groups(r"^(\d{1,18}(?:\.\d+)?)([kmgtp]?)i?([bw]?)$")
    unit = parts.struct.field("2").replace_strict(_UNITS, default=None, return_dtype=pl.Float64)
    word = pl.when(parts.struct.field("3") == "w").then(_WORD).otherwise(1)
    return parts.struct.field("1").cast(pl.Float64) * unit * word * GB_PER_BYTE
