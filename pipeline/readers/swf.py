"""Job logs in the Standard Workload Format 2.2: `*.swf`, or any text of its look; each file is a trace of its own.

Source: S. J. Chapin et al., "Benchmarks and standards for the evaluation of parallel job schedulers", JSSPP 1999, and
the definition kept with the Parallel Workloads Archive. A line holds 18 numbers, -1 means a missing one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from pipeline.drops import Drop, DropSettings, Refusal
from pipeline.readers import _accounting
from pipeline.readers._extent import rows
from pipeline.readers._files import line_blocks, stem
from pipeline.readers._items import Note, Rejected, Rows, Trace, Warn, Yields
from pipeline.readers._logs import read_each
from pipeline.readers._machine import LARGEST_NODE_GB, default_origin
from pipeline.tables import CORE, NODE

FORMAT = "swf"
GIVES = ("jobs",)
FIELDS = 18
BYTES_A_JOB = 560
"""Peak memory of a job of the logs (docs/guides/scale-out.md); the tables of all logs are checked as one."""
REJECTED_AT_ONCE = 1 << 16
CONSTANT_SHARE = 0.99
"""A used memory that is one and the same for more than this share of the jobs is a default, not a measurement."""

_SUFFIXES = (".swf", ".swf.gz")
_SIGN = re.compile(r"(?=.*\s-1(?:\s|$))\s*+\d++(?:\s++[-+]?\d\S*+){9}(?:\s++\S++){8}")
"""A record: 18 words, of which the first are numbers and one, as nearly always, is missing."""
# Positions of the fields in a line, from 0.
JOB, SUBMIT, WAIT, RUN, USED_PROCS, USED_KB, PROCS, REQUESTED_S, REQUESTED_KB, USER = 0, 1, 2, 3, 4, 6, 7, 8, 9, 11
EXECUTABLE, QUEUE, PARTITION = 13, 14, 15
USED = "used_memory_gb"
MEMORY = {"requested_memory_gb": REQUESTED_KB, USED: USED_KB}
_INTEGERS = (JOB, USED_PROCS, PROCS, USER, EXECUTABLE)


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:  # noqa: ARG001
    """The SWF logs among the files, by name or by their first record."""
    return [file for file in files if stem(file, _SUFFIXES) or _accounting.with_sign([file], _SIGN)]


def read(drop: Drop, files: list[Path]) -> Yields[None]:
    """The jobs of each log, as trace `<drop>/<stem>`."""
    return read_each(drop, files, _SUFFIXES, lambda trace_id, file: _Log(trace_id, file, drop.settings).read())


def memory_bytes(drop: Drop, files: list[Path]) -> int:  # noqa: ARG001
    """Peak memory of reading the logs."""
    return BYTES_A_JOB * sum(rows(file) for file in files)


class _Log:
    """One log."""

    def __init__(self, trace_id: str, file: Path, settings: DropSettings):
        self.trace_id, self.file, self.settings = trace_id, file, settings
        self.per_node = 1 if settings.share == "cores" else settings.cpus_per_node
        self.header: dict[str, int] = {}
        self.wide_lines = 0

    def read(self) -> Yields[None]:
        """Raises Refusal for a log without records, or for one cut off, after its records were handed over."""
        values, cut = [], None
        malformed = 0
        blocks = line_blocks(self.file)
        try:
            for first, block in blocks:
                numbers, bad = self._parse(first, block)
                values.append(numbers)
                malformed += len(bad)
                for start in range(0, len(bad), REJECTED_AT_ONCE):
                    rows = bad[start : start + REJECTED_AT_ONCE]
                    frame = pl.DataFrame(rows, schema=["row", "reason", "detail"], orient="row")
                    yield Rejected(frame, self.file, "jobs", self.trace_id)
        except Refusal as refusal:
            cut = refusal
        records = np.concatenate(values) if values else np.empty((0, FIELDS + 1))
        values.clear()
        if cut is None and not len(records) and not malformed:
            raise Refusal("file_empty", "the log holds no records below its header")
        yield from self._declare()
        if len(records):
            yield from self._hand_over(records, len(records) + malformed)
        if cut is not None:
            raise cut

    def _parse(self, first: int, block: bytes) -> tuple[np.ndarray, list[tuple[int, str, str]]]:
        """Records of a block (FIELDS columns, then the line), and the lines that are none."""
        # Numba takes longer to load than other formats to be checked.
        from pipeline.readers._swf_lines import scan

        self._read_header(block)
        numbers, lines, faults, wide = scan(np.frombuffer(block, dtype=np.uint8), block.count(b"\n") + 1)
        self.wide_lines += wide
        malformed, mended = [], []
        texts = block.split(b"\n") if len(faults) else []
        for line in faults.tolist():
            record, fault = _parse_line(texts[line])
            if record is None:
                malformed.append((first + line, "malformed_line", fault))
            else:
                mended.append([*record, line])
        records = np.column_stack([numbers, lines])
        if mended:
            records = np.concatenate([records, np.array(mended)])
            records = records[np.argsort(records[:, FIELDS], kind="stable")]
        records[:, FIELDS] += first
        broken = _not_whole(records)
        for index in np.flatnonzero(broken):
            line = int(records[index, FIELDS])
            malformed.append((line, "malformed_line", "job, processors, user and executable must be whole numbers"))
        return records[~broken], sorted(malformed)

    def _read_header(self, block: bytes) -> None:
        for line in _header_lines(block):
            match = re.match(rb";\s*(MaxNodes|MaxProcs|UnixStartTime|MaxRecords)\s*:\s*(\d{1,15})\b", line)
            if match:
                self.header.setdefault(match[1].decode(), int(match[2]))

    def _declare(self) -> Yields[None]:
        """Machine size: MaxProcs is in the unit the jobs are counted in, so it goes before MaxNodes.

        SWF counts processors. They are nodes where trace.yaml says how many a node has, or the header has as many.
        """
        processors, nodes = self.header.get("MaxProcs"), self.header.get("MaxNodes")
        per_node = self.per_node
        size = math.ceil(processors / per_node) if processors else nodes
        alike = nodes is not None and nodes == (processors or nodes)
        of_nodes = alike or "cpus_per_node" in self.settings.model_fields_set or self.settings.share == "nodes"
        unit = NODE if of_nodes and self.settings.share != "cores" else CORE
        yield Trace(self.trace_id, nodes=size or None, unit=unit)
        if "UnixStartTime" in self.header:
            yield Note(self.trace_id, f"Times count from Unix time {self.header['UnixStartTime']}.")
        if processors and nodes and processors > nodes and unit == CORE and not self.settings.share:
            even = processors % nodes == 0
            right = f"{processors // nodes}" if even else f"those of most nodes ({processors / nodes:.1f} on average)"
            yield Note(
                self.trace_id,
                f"The header has {processors} processors in {nodes} nodes, and processors are counted; set "
                f"cpus_per_node: {right} in trace.yaml to count whole nodes, or share: cores.",
            )

    def _hand_over(self, records: np.ndarray, lines: int) -> Yields[None]:
        fields = pl.DataFrame({f"f{i}": records[:, i] for i in range(FIELDS + 1)})
        used_memory = yield from self._used_memory(fields[f"f{USED_KB}"], fields[f"f{REQUESTED_KB}"])
        per_node = self.per_node
        requested, used = pl.col(f"f{PROCS}"), pl.col(f"f{USED_PROCS}")
        processors = pl.when(requested > 0).then(requested).otherwise(used)
        nodes = (processors.clip(lower_bound=0) / per_node).ceil()
        # Memory is per processor; a job smaller than a node has only its own processors there.
        on_node = pl.when(processors > 0).then(pl.min_horizontal(processors, pl.lit(float(per_node))))
        submit, wait, run = (pl.col(f"f{i}") for i in (SUBMIT, WAIT, RUN))
        start = pl.when((wait >= 0) & (submit >= 0)).then(submit + wait)
        # A log without partitions may have queues.
        place = PARTITION if (fields[f"f{PARTITION}"] != -1).any() else QUEUE
        jobs = fields.with_columns(used_memory).select(
            pl.lit(self.trace_id).alias("trace"),
            _known(pl.col(f"f{JOB}")).cast(pl.Int64).cast(pl.String).alias("job_id"),
            _known(submit).alias("submit_s"),
            nodes.cast(pl.Int64).alias("nodes"),
            pl.when(pl.col(f"f{REQUESTED_S}") > 0).then(pl.col(f"f{REQUESTED_S}")).alias("walltime_s"),
            _known(run).alias("runtime_s"),
            *(self._memory(name, pl.col(f"f{field}"), on_node) for name, field in MEMORY.items()),
            _known(pl.col(f"f{USER}")).cast(pl.Int64).cast(pl.String).alias("user"),
            _known(pl.col(f"f{EXECUTABLE}")).cast(pl.Int64).cast(pl.String).alias("name"),
            _known(pl.col(f"f{place}")).cast(pl.Int64, strict=False).cast(pl.String).alias("partition"),
            start.alias("start_s"),
            pl.when(run >= 0).then(start + run).alias("end_s"),
            pl.col(f"f{FIELDS}").cast(pl.Int64).alias("row"),
        )
        yield from self._doubts(fields, jobs)
        yield from self._notes(fields, lines)
        yield Rows("jobs", jobs, self.file)

    def _memory(self, column: str, memory: pl.Expr, on_node: pl.Expr) -> pl.Expr:
        """Memory of a node, GB, from that of a processor in kB, or in the unit that trace.yaml states."""
        source = self.settings.columns.get(column)
        per_gb = 1e6 if source is None or source.unit is None else 1 / source.scale
        return (_known(memory) * on_node / per_gb).alias(column)

    def _doubts(self, fields: pl.DataFrame, jobs: pl.DataFrame) -> Yields[None]:
        """Ask for the unit of memory that looks like bytes or MB taken for kB, unless trace.yaml states it."""
        for column, field in MEMORY.items():
            source = self.settings.columns.get(column)
            known = fields.filter(pl.col(f"f{field}") > 0)[f"f{field}"]
            if not len(known) or (source and source.unit):
                continue
            largest = jobs[column].max() or 0.0
            # Requests are often of whole GiB, which are such multiples in kB, too.
            whole = (column == USED or known.max() >= 2**30) and (known % 2**20 == 0).all()
            if whole or largest > LARGEST_NODE_GB:
                looks = (
                    "Each value is a whole multiple of 2^20" if whole else f"The largest makes {largest:.4g} GB a node"
                )
                yield Warn(
                    self.trace_id,
                    f"Is {column} (field {field + 1}) in kB? {looks}, as if it were in bytes or MB. State its unit in "
                    f"trace.yaml: `columns: {{{column}: {{from: field {field + 1}, unit: B}}}}` (or kB, or MB).",
                )

    def _used_memory(self, used_kb: pl.Series, requested_kb: pl.Series) -> Yields[pl.Series]:
        """Field 7 with a default value that stands in (nearly) every job taken as missing.

        A value that stands in most of them, or what they asked for, stays and is told.
        """
        known = used_kb.filter(used_kb != -1)
        if len(known) > 1:
            value, count = known.value_counts().sort("count", used_kb.name, descending=[True, False]).row(0)
            if count > CONSTANT_SHARE * len(known):
                yield Note(
                    self.trace_id, f"Used memory is {value:g} kB for {count} of {len(known)} jobs: a default, not used."
                )
                return pl.Series(used_kb.name, [-1.0]).new_from_index(0, len(used_kb))
        origin, sentence = default_origin(*(kb.set(kb == -1, None) for kb in (used_kb, requested_kb)), "kB")
        if origin:
            yield Warn(self.trace_id, sentence, origin)
        return used_kb

    def _notes(self, fields: pl.DataFrame, lines: int) -> Yields[None]:
        column = {i: fields[f"f{i}"] for i in range(FIELDS)}
        by_use = int((column[PROCS] <= 0).sum())
        over = int(((column[REQUESTED_S] > 0) & (column[RUN] > column[REQUESTED_S])).sum())
        without = int((column[REQUESTED_S] <= 0).sum())
        unknown = int((column[RUN] == -1).sum())
        announced = self.header.get("MaxRecords", lines)
        notes = [
            ("Nodes are from the processors requested (field 8)", True),
            (f", for {by_use} jobs without them from the processors used (field 5)", by_use),
            (".", True),
            (f" {over} jobs ran longer than they requested.", over),
            (f" {unknown} jobs have no run time and cannot be replayed.", unknown),
            (f" {without} jobs request no time: EASY has no estimate, so run time is used.", without),
            (f" {self.wide_lines} lines have more than {FIELDS} fields; the rest was ignored.", self.wide_lines),
            (f" The header announces {announced} records, the file holds {lines}.", announced != lines),
        ]
        yield Note(self.trace_id, "".join(text for text, holds in notes if holds))


def _known(field: pl.Expr) -> pl.Expr:
    return pl.when(field != -1).then(field)


def _header_lines(block: bytes) -> Iterator[bytes]:
    """Comment lines in front of the block's first record; a log may hold others further down, which say nothing new."""
    position = 0
    while position < len(block):
        end = block.find(b"\n", position)
        end = len(block) if end < 0 else end
        line = block[position:end].strip()
        if line and not line.startswith(b";"):
            return
        yield line
        position = end + 1


def _parse_line(text: bytes) -> tuple[list[float] | None, str]:
    """The fields of a line that the scanner does not take (an exponent, say), or what is wrong with it."""
    from pipeline.readers._swf_lines import UNREAD

    words = text.split()
    shown = text.strip()[:80].decode(errors="replace")
    if len(words) < FIELDS:
        return None, f"{len(words)} fields where SWF has {FIELDS}: {shown!r}"
    try:
        return [-1.0 if at in UNREAD else float(word) for at, word in enumerate(words[:FIELDS])], ""
    except ValueError:
        return None, f"a field is not a number: {shown!r}"


def _not_whole(records: np.ndarray) -> np.ndarray:
    """Records whose job, processors, user or executable is not a whole number that fits 64 bits."""
    values = records[:, _INTEGERS]
    with np.errstate(invalid="ignore"):
        return ~((np.floor(values) == values) & (np.abs(values) < 2.0**53)).all(axis=1)
