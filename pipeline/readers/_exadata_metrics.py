"""Metrics of the nodes in M100 ExaData: capacity, memory samples joined to jobs, memory of GPUs.

Row groups are read one at a time in the order of their earliest sample, whatever file they lie in. Once every row group
to come begins after a job's end, the job is complete and leaves. With rows in blocks of a day, as published, no more
than the samples of a few days wait at a time.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numba import njit

from pipeline import tables
from pipeline.drops import Drop, Refusal
from pipeline.readers import _node_samples
from pipeline.readers._exadata_jobs import Jobs
from pipeline.readers._files import DAMAGED, require_columns, unreadable
from pipeline.readers._items import Counted, LeftOut, Lost, Observed, Reading, Rejected, Series, Yields
from pipeline.readers._node_samples import NO_TIME, Batch, JoinedSamples, Taken

log = logging.getLogger(__name__)

KIB_GB = 1024e-9
MIB_GB = 1024**2 * 1e-9
COLUMNS = ["timestamp", "value", "node"]
_TYPES: dict[str, tuple[Callable[[pa.DataType], bool], str]] = {
    "timestamp": (pa.types.is_timestamp, "times"),
    "value": (lambda dtype: pa.types.is_floating(dtype) or pa.types.is_integer(dtype), "numbers"),
    "node": (lambda dtype: pa.types.is_string(dtype) or pa.types.is_large_string(dtype), "names"),
}
LATEST_MS = 253_402_300_799_000
"""The end of the year 9999."""
ROW_BITS = 40
"""A row's number among all files is file << ROW_BITS | row."""

TABLE = "samples"
LEFT_OUT = {
    _node_samples.NO_JOB: ("no_job", "no job that is kept ran on the node at that time"),
    _node_samples.NO_CAPACITY: ("capacity_unknown", "neither mem_total nor node_memory_gb tells the node's memory"),
}
REJECTED = {
    _node_samples.INVALID: (
        "sample_invalid",
        pl.format(
            "{} is {} at {} on {}; node, time and a number of at least 0 are required", "metric", "value", "at", "node"
        ),
    ),
    _node_samples.NEGATIVE: (
        "used_gb_negative",
        pl.format("{} is {} kB at {}, more than the memory of its node", "metric", "value", "at"),
    ),
    _node_samples.TOO_LATE: (
        "before_statistics",
        pl.format("{} has a sample at {}, before the earliest one that the file announces", "metric", "at"),
    ),
}
"""Reason and sentence of each fate that is an error."""


class NodeTable:
    """Numbers of nodes by name, and the names seen in the metrics."""

    def __init__(self, names: pl.Series):
        self._numbers = {name: number for number, name in enumerate(names)}
        self.seen: set[str] = set()

    def __len__(self) -> int:
        return len(self._numbers)

    def of(self, column: pa.ChunkedArray | pa.Array) -> np.ndarray:
        """Number of each row's node, UNKNOWN_NODE for nodes of no job that is kept, NULL_NODE for null."""
        if isinstance(column, pa.ChunkedArray):
            column = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
        if not pa.types.is_dictionary(column.type):
            column = pc.cast(column, pa.string()).dictionary_encode()
        names = column.dictionary.to_pylist()
        self.seen.update(name for name in names if name is not None)
        known = [self._numbers.get(name, _node_samples.UNKNOWN_NODE) for name in names]
        numbers = np.array([*known, _node_samples.NULL_NODE], np.int64)
        codes = column.indices
        if codes.null_count:
            codes = pc.fill_null(codes, len(names))
        return numbers[codes.to_numpy()]


class _RowGroup(NamedTuple):
    earliest_ms: int
    metric: str
    file: Path
    group: int
    first_row: int
    rows: int


class Capacity(NamedTuple):
    """Memory of each node, and whether trace.yaml is all that tells it."""

    kib: np.ndarray  # float64 (nodes), nan = not known
    stated: np.ndarray  # bool (nodes)


def capacity(drop: Drop, files: list[Path], jobs: Jobs) -> Yields[Capacity]:
    """Memory of each node: the largest mem_total, else `node_memory_gb` of trace.yaml, else nan.

    Raises Refusal where neither is there.
    """
    stated = drop.settings.node_memory_gb
    if not files and stated is None:
        raise Refusal(
            "capacity_unknown",
            "there is no metric mem_total, and trace.yaml states no node_memory_gb; used memory is the difference of "
            "that and mem_free, so state it",
        )
    nodes = NodeTable(jobs.nodes)
    largest_kib = np.full(len(nodes), np.nan)
    for file in files:
        with Reading(file) as reading, _opened(file) as parquet:
            yield Counted(file, parquet.metadata.num_rows)
            _require_columns(parquet, ["value", "node"])
            constant = _constant(parquet)
            if constant is not None:
                largest_kib = np.fmax(largest_kib, constant)
            for group in range(parquet.num_row_groups if constant is None else 0):
                table = _group(parquet, group, ["value", "node"])
                number, value = nodes.of(table["node"]), _values(table["value"])
                usable = (number >= 0) & np.isfinite(value) & (value > 0)
                np.fmax.at(largest_kib, number[usable], value[usable].astype(np.float64))
        yield reading
    missing = np.isnan(largest_kib) & (stated is not None)
    return Capacity(np.where(missing, (stated or 0.0) / KIB_GB, largest_kib), missing)


def stream(
    drop: Drop, metrics: dict[str, list[Path]], jobs: Jobs, nodes: NodeTable, capacity: Capacity
) -> Yields[None]:
    """The jobs' series: memory samples joined to jobs.

    metrics: files of mem_free, first, and of the metrics to subtract from the difference of capacity and mem_free
    besides; of those the latest value at each time of a sample counts. Raises Refusal where a capacity that trace.yaml
    states makes used memory negative.
    """
    free, *subtracted = metrics
    joined = {free: JoinedSamples(jobs.placements, capacity.kib * KIB_GB, -KIB_GB)}
    joined |= {metric: JoinedSamples(jobs.placements, np.zeros(len(nodes)), KIB_GB) for metric in subtracted}
    files = [file for of_metric in metrics.values() for file in of_metric]
    plan: list[_RowGroup] = []
    for metric, of_metric in metrics.items():
        plan += yield from _plan(metric, of_metric)
    plan.sort()
    counts: Counter[tuple[str, int]] = Counter()
    has_samples = np.zeros(len(jobs.placements.slot_node), np.bool_)
    backwards = rows = 0
    until = None
    for i, group in enumerate(plan):
        for batch in (yield from _readable(drop, group, files.index(group.file), nodes)):
            fate = joined[group.metric].append(batch)
            if group.metric == free:
                _require_capacity(drop, group, batch, fate, capacity.stated)
                backwards += _backwards(batch.node, batch.time_ms)
            counts += yield from _account(group, batch, fate)
        rows += group.rows
        earliest = plan[i + 1].earliest_ms if i + 1 < len(plan) else None
        if earliest is None or earliest != until:
            until = earliest
            yield from _hand_over(drop, joined, jobs, until, has_samples, files)
            log.info("%s: %d rows of memory metrics read", drop.name, rows)
    for code, (reason, what) in LEFT_OUT.items():
        yield LeftOut(drop.name, TABLE, reason, counts[free, code], what)
    for metric in subtracted:
        yield LeftOut(drop.name, TABLE, f"{metric}_rows", sum(n for (m, _), n in counts.items() if m == metric),
                      f"rows of {metric}, which is subtracted from the samples of {free}")  # fmt: skip
    yield Observed(drop.name, TABLE, "clock_backwards", backwards,
                  "a sample is earlier than the one before it in the file; it was sorted in")  # fmt: skip
    first_slot = jobs.placements.first_slot
    without = np.add.reduceat(has_samples, first_slot[:-1]) == 0
    yield Observed(drop.name, "jobs", "no_samples", int(without.sum()), "the job has no memory sample, so no phases")
    partly = ~without & (np.add.reduceat(~has_samples, first_slot[:-1]) > 0)
    yield Observed(drop.name, "jobs", "nodes_without_samples", int(partly.sum()),
                  "some of the job's nodes have no memory sample; its phases are those of the others")  # fmt: skip


def gpu_memory(drop: Drop, metrics: dict[int, list[Path]], jobs: Jobs) -> Yields[pl.DataFrame]:
    """Mean and peak of the memory used on each GPU of each node while a job ran there (tables.GpuMemory)."""
    placements, nodes = jobs.placements, NodeTable(jobs.nodes)
    owner = np.repeat(np.arange(len(jobs.job_id)), np.diff(placements.first_slot))
    frames = []
    for gpu, files in sorted(metrics.items()):
        count, total, peak = (np.zeros(len(owner), np.int64) for _ in range(3))
        left = 0
        for group in sorted((yield from _plan(f"Gpu{gpu}", files))):
            for batch in (yield from _readable(drop, group, 0, nodes)):
                left += _accumulate(batch.node, batch.time_ms, batch.value, placements, count, total, peak)
                yield Counted(group.file, len(batch.value))
        yield LeftOut(drop.name, "gpu_memory", "no_job", int(left), "no job that is kept, or no valid value")
        used = count > 0
        frames.append(
            pl.DataFrame(
                {
                    "trace": pl.repeat(drop.name, int(used.sum()), dtype=pl.String, eager=True),
                    "job_id": jobs.job_id.gather(owner[used]),
                    "node": jobs.nodes.gather(placements.slot_node[used]),
                    "gpu": pl.repeat(gpu, int(used.sum()), dtype=pl.Int64, eager=True),
                    "samples": count[used],
                    "mean_gb": total[used] / count[used] * MIB_GB,
                    "peak_gb": peak[used] * MIB_GB,
                },
                schema=tables.polars_schema(tables.GpuMemory),
            )
        )
    return pl.concat(frames).sort("job_id", "node", "gpu")


def _hand_over(drop, joined, jobs: Jobs, until_ms, has_samples, files: list[Path]) -> Yields[None]:
    """Pass on the series of the jobs that are complete."""
    free, *others = joined
    taken = joined[free].take(until_ms)
    yield from _reject_repeated(taken.repeated, files)
    for metric in others:
        other = joined[metric].take(until_ms)
        _subtract(taken.first, taken.time_ms, taken.value, other.first, other.time_ms, other.value)
    if others:
        before = len(taken.value)
        taken = _finite(taken)
        what = f"no value of {' or '.join(others)} for the node while the job ran, or it exceeds the use"
        yield LeftOut(drop.name, TABLE, "cache_unknown", before - len(taken.value), what)
    low = jobs.placements.first_slot[taken.first_job]
    has_samples[low : low + len(taken.first) - 1] = np.diff(taken.first) > 0
    series = _node_samples.series(taken, jobs.placements, jobs.origin_ms)
    if len(series.job):
        yield Series(drop.name, jobs.job_id, jobs.nodes, series)


def _account(group: _RowGroup, batch: Batch, fate: np.ndarray) -> Yields[Counter]:
    """Count the fates of a batch's rows, and reject those that are not valid."""
    bad = np.flatnonzero(np.isin(fate, list(REJECTED)))
    yield Counted(group.file, len(fate) - len(bad))
    if len(bad):
        # Polars panics over times that no calendar has.
        in_calendar = np.clip(batch.time_ms[bad], 0, LATEST_MS)
        seconds = pl.Series(in_calendar).cast(pl.Datetime("ms")).dt.strftime("%Y-%m-%dT%H:%M:%SZ")
        rows = pl.DataFrame(
            {
                "row": (batch.first_row & ((1 << ROW_BITS) - 1)) + bad,
                "fate": fate[bad],
                "at": seconds.set(pl.Series(batch.time_ms[bad] == NO_TIME), "a missing time"),
                "value": batch.value[bad].astype(np.float64),
                "node": pl.Series(batch.node[bad] == _node_samples.NULL_NODE).replace_strict(
                    {True: "no node", False: "its node"}
                ),
                "metric": pl.repeat(group.metric, len(bad), eager=True),
            }
        )
        known = [(pl.col("fate") == code, reason, detail) for code, (reason, detail) in REJECTED.items()]
        yield Rejected(
            rows.select(
                "row",
                reason=pl.coalesce(pl.when(condition).then(pl.lit(reason)) for condition, reason, _ in known),
                detail=pl.coalesce(pl.when(condition).then(detail) for condition, _, detail in known),
            ),
            group.file,
            TABLE,
        )
    return Counter({(group.metric, code): int(n) for code, n in enumerate(np.bincount(fate, minlength=6))})


def _reject_repeated(repeated: np.ndarray, files: list[Path]) -> Yields[None]:
    """Reject samples that have the node and time of another one."""
    for number in np.unique(repeated >> ROW_BITS):
        rows = np.sort(repeated[repeated >> ROW_BITS == number] & ((1 << ROW_BITS) - 1))
        detail = "the node has another sample at that time; the larger use counts"
        frame = pl.DataFrame({"row": rows}).with_columns(reason=pl.lit("duplicate_sample"), detail=pl.lit(detail))
        yield Rejected(frame, files[number], TABLE)
        yield Counted(files[number], -len(rows))


def _require_capacity(drop: Drop, group: _RowGroup, batch: Batch, fate: np.ndarray, stated: np.ndarray) -> None:
    """Raise Refusal where the capacity that trace.yaml states is less than what the nodes had free."""
    negative = np.flatnonzero(fate == _node_samples.NEGATIVE)
    negative = negative[stated[batch.node[negative]]]
    if negative.size:
        most_gb = float(batch.value[negative].max()) * KIB_GB
        raise Refusal(
            "capacity_too_small",
            f"node_memory_gb: {drop.settings.node_memory_gb:g} is less than the memory that was free on a node "
            f"({most_gb:.1f} GB in metric {group.metric}), so that used memory would be negative; drop the metric "
            "mem_total as well, or state what the nodes really have",
            file="trace.yaml",
        )


def _plan(metric: str, files: list[Path]) -> Yields[list[_RowGroup]]:
    """Row groups of a metric's files with their earliest sample; files that cannot be opened are refused."""
    groups = []
    for file in files:
        with Reading(file) as reading, _opened(file) as parquet:
            _require_columns(parquet, COLUMNS)
            position = _position(parquet, "timestamp")
            first_row = 1
            for group in range(parquet.num_row_groups):
                metadata = parquet.metadata.row_group(group)
                least = _least(metadata.column(position).statistics)
                if isinstance(least, datetime):
                    earliest = pa.scalar(least, pa.timestamp("ms", "UTC")).cast(pa.int64()).as_py()
                else:
                    times = _times(_group(parquet, group, ["timestamp"])["timestamp"])
                    earliest = int(times.min(initial=NO_TIME + 1, where=times != NO_TIME))
                groups.append(_RowGroup(earliest, metric, file, group, first_row, metadata.num_rows))
                first_row += metadata.num_rows
        yield reading
    return groups


def _require_columns(parquet: pq.ParquetFile, names: list[str]) -> None:
    """Raise Refusal for a file without these columns, or with others of their names."""
    schema = parquet.schema_arrow
    missing = [name for name in names if name not in schema.names]
    if missing:
        raise Refusal("columns_missing", f"columns {', '.join(missing)} are missing")
    require_columns(schema.names)
    for name in names:
        dtype = schema.field(name).type
        holds, wanted = _TYPES[name]
        if not holds(dtype.value_type if pa.types.is_dictionary(dtype) else dtype):
            raise Refusal("column_type", f"column {name} holds {dtype}, where {wanted} would be right")


def _opened(file: Path) -> pq.ParquetFile:
    if file.stat().st_size == 0:
        raise Refusal("file_empty", "the file is empty")
    try:
        return pq.ParquetFile(file, read_dictionary=["node"], pre_buffer=False)
    except KeyError:
        # There is no column to read so, which _require_columns says.
        return pq.ParquetFile(file, pre_buffer=False)
    except DAMAGED as error:
        raise unreadable(error) from None


def _position(parquet: pq.ParquetFile, name: str) -> int:
    """Number of a column among the leaves of the schema, as row groups count them."""
    leaves = parquet.metadata.row_group(0).num_columns if parquet.num_row_groups else 0
    return (
        next(n for n in range(leaves) if parquet.metadata.row_group(0).column(n).path_in_schema == name)
        if leaves
        else 0
    )


def _group(parquet: pq.ParquetFile, group: int, columns: list[str]) -> pa.Table:
    try:
        table = parquet.read_row_group(group, columns=columns, use_threads=False)
        table.validate()
    except DAMAGED as error:
        raise unreadable(error) from None
    return table


def _least(statistics: pq.Statistics | None) -> object:
    """The least value that statistics tell; None where they tell none, or a time of no calendar."""
    if statistics is None or not statistics.has_min_max:
        return None
    try:
        return statistics.min
    except (OverflowError, ValueError):
        return None


def _constant(parquet: pq.ParquetFile) -> float | None:
    """The one value of a metric, where its statistics say that it never changes."""
    position = _position(parquet, "value")
    statistics = [parquet.metadata.row_group(g).column(position).statistics for g in range(parquet.num_row_groups)]
    if not statistics or any(s is None or not s.has_min_max for s in statistics):
        return None
    values = {value for s in statistics for value in (s.min, s.max)}
    value = values.pop() if len(values) == 1 else None
    # Of numbers of 16 bits pyarrow gives the bytes.
    return float(value) if isinstance(value, int | float) else None


def _readable(drop: Drop, group: _RowGroup, file_number: int, nodes: NodeTable) -> Yields[list[Batch]]:
    """The rows of a row group; none where it is damaged, which is said and counted."""
    batches = []
    with Reading(group.file) as reading:
        try:
            with _opened(group.file) as parquet:
                table = _group(parquet, group.group, COLUMNS)
        except Refusal as refusal:
            what = f"row group {group.group} of {group.file.name}"
            yield Lost(drop.name, TABLE, refusal.reason, group.rows, f"{what} cannot be read")
            yield Counted(group.file, group.rows)
            raise Refusal(refusal.reason, f"{what}: {refusal.detail}", row=group.first_row) from None
        first_row = (file_number << ROW_BITS) + group.first_row
        batches.append(Batch(nodes.of(table["node"]), _times(table["timestamp"]), _values(table["value"]), first_row))
    yield reading
    return batches


def _times(column: pa.ChunkedArray) -> np.ndarray:
    if column.type.unit != "ms":
        column = pc.cast(column, pa.timestamp("ms", column.type.tz), safe=False)
    column = pc.cast(column, pa.int64())
    return pc.fill_null(column, int(NO_TIME)).to_numpy() if column.null_count else column.to_numpy()


def _values(column: pa.ChunkedArray) -> np.ndarray:
    if not pa.types.is_floating(column.type):
        column = pc.cast(column, pa.float64(), safe=False)
    return pc.fill_null(column, float("nan")).to_numpy() if column.null_count else column.to_numpy()


@njit(cache=True)
def _backwards(node, time_ms):
    """Rows that are earlier than the row before them, of the same node."""
    count = 0
    for i in range(1, node.size):
        count += node[i] == node[i - 1] and time_ms[i] < time_ms[i - 1] and time_ms[i] != NO_TIME
    return count


@njit(cache=True)
def _subtract(first, time_ms, value, other_first, other_ms, other):
    """Subtract from each sample the other metric's latest value at its time, or the first one after it.

    Samples without one, or below zero then, become nan.
    """
    for s in range(first.size - 1):
        k, end = other_first[s], other_first[s + 1]
        for i in range(first[s], first[s + 1]):
            if k == end:
                value[i] = np.nan
                continue
            while k + 1 < end and other_ms[k + 1] <= time_ms[i]:
                k += 1
            value[i] -= other[k]
            if value[i] < 0.0:
                value[i] = np.nan


@njit(cache=True)
def _accumulate(node, time_ms, value, placements, count, total, peak):
    """Count, sum and maximum a slot; returns the rows of no slot, or without a valid value."""
    first, job, slot = placements.first, placements.job, placements.slot
    start_ms, end_ms = placements.job_start_ms, placements.job_end_ms
    here, begin, end, row_slot = np.int64(-9), np.int64(0), np.int64(0), np.int64(-1)
    left = 0
    for i in range(node.size):
        n, t = node[i], time_ms[i]
        if n < 0 or t == NO_TIME or not value[i] >= 0.0:
            left += 1
            continue
        if n != here or t < begin or t >= end:
            begin, end, row_slot = _node_samples.interval(first, job, slot, start_ms, end_ms, n, t)
            here = n
        if row_slot < 0:
            left += 1
            continue
        mib = np.int64(value[i])
        count[row_slot] += 1
        total[row_slot] += mib
        peak[row_slot] = max(peak[row_slot], mib)
    return left


def _finite(taken: Taken) -> Taken:
    """The samples that are numbers."""
    good = np.isfinite(taken.value)
    past = np.concatenate([[0], np.cumsum(good)])
    return taken._replace(first=past[taken.first], time_ms=taken.time_ms[good], value=taken.value[good])
