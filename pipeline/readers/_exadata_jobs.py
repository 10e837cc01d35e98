"""The job table of M100 ExaData: which jobs can be used, and where they ran."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from pipeline.drops import Drop, Refusal
from pipeline.readers import _placements, _slurm
from pipeline.readers._columns import CALENDAR_S
from pipeline.readers._files import open_table
from pipeline.readers._items import LeftOut, Ordered, Reading, Refused, Rejected, Yields, rejected
from pipeline.readers._placements import NodeLists, Placements
from pipeline.runtime.scratch import FrameScratch, Scratch

TABLE = "jobs"
SHORTEST_S = 60.0
"""Jobs that run no longer than this are left out (HiPC 2024, Section V-A)."""

TEXT_ROWS = 1 << 14
"""Rows whose texts are read at a time: lists of nodes, taken apart, are many times as large as the rows."""
PIECE_ROWS = 1 << 16
"""Jobs that are written at a time."""

REQUIRED = ("job_id", "submit_time", "start_time", "end_time", "nodes")
OPTIONAL = ("time_limit", "time_limit_str", "user_id", "tres_req_str", "tres_alloc_str")

_NULL_AS = {"time_limit": pl.Int64, **{f"{t}_time": pl.Datetime("ms") for t in ("submit", "start", "end")}}
"""Types of columns that hold nothing but nulls."""

NODE_LIST = r"^\[\s*'?[\w.-]+'?(\s*,\s*'?[\w.-]+'?)*\s*\]$"

LEFT_OUT = {
    "superseded_row": "a later row of the same job counts",
    "start_or_end_missing": "the job never ran, or its times were lost",
    "nodes_missing": "no nodes are named",
    "ran_a_minute_or_less": f"the job ran no longer than {SHORTEST_S:g} s",
    "shared_nodes": "another job ran on one of its nodes at the same time",
}
REJECTED = {
    "job_id_missing": pl.lit("job_id is missing, a value is required"),
    "submit_s_missing": pl.format("submit_time of job {} is missing, a value is required", "job_id"),
    "nodes_unreadable": pl.format("nodes of job {} is {}, a list such as [680, 681] would be right", "job_id", "text"),
    "end_before_start": pl.format("job {} ends {} s before it starts", "job_id", "back_s"),
    "larger_than_machine": pl.format("job {} ran on {} nodes, more than the machine has", "job_id", "count"),
}
FATE = pl.Enum([*LEFT_OUT, *REJECTED])


@dataclass(frozen=True)
class Jobs:
    """Jobs that are kept, in the order of their ends, and where they ran."""

    job_id: pl.Series
    nodes: pl.Series
    """Names of the nodes that kept jobs ran on, sorted."""
    all_nodes: set[str]
    """Names of the nodes of all jobs."""
    placements: Placements
    origin_ms: int
    notes: list[str]


def read(drop: Drop, files: list[Path]) -> Yields[Jobs | None]:
    """The jobs to keep, with the others counted by reason; None where none can be used.

    A table of many months does not fit into memory: its rows wait on disk while times and nodes, some ninety bytes a
    row, show which of them can be used.
    """
    with FrameScratch(drop.scratch) as waiting, FrameScratch(drop.scratch) as ordered:
        table = yield from _read_rows(drop, files, waiting)
        if table is None:
            return None
        times = table.times.with_columns(fate=_fate(drop.settings.nodes))
        start_ms, end_ms = (times[c].fill_null(0).to_numpy() for c in ("start_ms", "end_ms"))
        possible = np.flatnonzero(times["fate"].is_null().to_numpy())
        is_shared, used_nodes = _placements.shared(possible, start_ms, end_ms, table.lists, len(table.names))
        origin_ms = times[possible].select(pl.min_horizontal("submit_ms", "start_ms").min()).item()
        short = pl.col("end_ms") - pl.col("start_ms") <= SHORTEST_S * 1000
        times = times.with_columns(
            fate=pl.when(pl.col("fate").is_not_null())
            .then("fate")
            .when(short)
            .then(pl.lit("ran_a_minute_or_less", FATE))
            .when(pl.Series(is_shared))
            .then(pl.lit("shared_nodes", FATE))
        )
        usable = np.flatnonzero(times["fate"].is_null().to_numpy())
        piece = np.full(len(times), -1, np.int32)
        piece[usable[times[usable].select(pl.arg_sort_by("submit_ms", "job_id")).to_series().to_numpy()]] = (
            np.arange(usable.size) // PIECE_ROWS
        )
        for number, (file, begin, end) in enumerate(table.spans):
            rows = pl.concat(waiting.read(number)).with_columns(
                times["fate"][begin:end], piece=piece[begin:end], position=pl.int_range(begin, end)
            )
            yield from _account(drop, rows, files[file])
            for (part,), part_rows in rows.filter(pl.col("piece") >= 0).group_by("piece", maintain_order=True):
                ordered.write(part, _canonical(part_rows, origin_ms).with_columns(file=pl.lit(file, pl.Int32)))
        if not usable.size:
            yield Refused(
                Refusal("no_lone_job", "no job had its nodes to itself for more than a minute; drop more of the month")
            )
            return None
        for part in range(piece.max() + 1):
            yield Ordered(TABLE, pl.concat(ordered.read(part)).sort("submit_s", "job_id"), files)
    notes = [
        f"Times count from {pl.Series([origin_ms]).cast(pl.Datetime('ms')).dt.strftime('%Y-%m-%dT%H:%M:%SZ')[0]}. "
        f"{usable.size} of {times.height} job rows are kept: jobs of more than a minute that had their nodes to "
        "themselves (the others by reason in table tally)."
    ]
    usable = usable[times[usable].select(pl.arg_sort_by("end_ms", "job_id")).to_series().to_numpy()]
    lists = table.lists.of(usable)
    known = pl.Series("node", list(table.names), dtype=pl.String)
    names = known.gather(np.unique(lists.node)).sort()
    code = np.full(len(known), -1, np.int32)
    code[[table.names[name] for name in names]] = np.arange(len(names))
    placements = _placements.place(start_ms[usable], end_ms[usable], lists._replace(node=code[lists.node]), len(names))
    return Jobs(times["job_id"].gather(usable), names, set(known.gather(used_nodes)), placements, int(origin_ms), notes)


class _Table(NamedTuple):
    """Rows of all files, in their order: what of them is held."""

    times: pl.DataFrame  # job_id, submit_ms, start_ms, end_ms, count (of nodes; null = unreadable)
    lists: NodeLists
    names: dict[str, int]  # numbers of the nodes
    spans: list[tuple[int, int, int]]  # of each piece that waits: file, its first row among all, the one past its last


def _read_rows(drop: Drop, files: list[Path], waiting: FrameScratch) -> Yields[_Table | None]:
    """Read the job tables; rows with their texts go to `waiting`, piece by piece. None where there are no rows."""
    names: dict[str, int] = {}
    times, spans = [], []
    count = 0
    with Scratch(np.int32, drop.scratch) as nodes:
        for number, file in enumerate(files):
            bad: list[pl.DataFrame] = []
            with Reading(file) as reading:
                for rows, numbers in _batches(file, names, bad):
                    yield from rejected(bad, file, TABLE)
                    waiting.write(len(spans), rows)
                    times.append(rows.select("job_id", "submit_ms", "start_ms", "end_ms", "count"))
                    nodes.write(0, numbers)
                    spans.append((number, count, count + len(rows)))
                    count += len(rows)
            yield from rejected(bad, file, TABLE)
            yield reading
        if not count:
            return None
        held = pl.concat(times, rechunk=True)
        first = np.append(0, np.cumsum(held["count"].fill_null(0).to_numpy(), dtype=np.int64))
        return _Table(held, NodeLists(first, nodes.read(0)), names, spans)


def _batches(file: Path, numbers: dict[str, int], bad: list[pl.DataFrame]) -> Iterator[tuple[pl.DataFrame, np.ndarray]]:
    """The columns that matter of a job table, texts read, batch by batch, with the numbers of the rows' nodes in turn.

    `numbers` holds the numbers of the nodes so far and takes new ones, `bad` takes rows that cannot be parsed.
    """
    table = open_table(file)
    missing = [name for name in REQUIRED if name not in table.names]
    if missing:
        raise Refusal(
            "columns_missing", f"columns {', '.join(missing)} are missing; the job table of M100 ExaData has them"
        )
    present = [*REQUIRED, *(name for name in OPTIONAL if name in table.names)]
    for batch in table.batches(present, bad.append):
        _require_types(batch)
        for rows in batch.iter_slices(TEXT_ROWS):
            yield _read_texts(rows, present, numbers)


def _require_types(batch: pl.DataFrame) -> None:
    """Raise Refusal for a column that cannot hold what it should."""
    for name, dtype in batch.drop("row").schema.items():
        number = dtype.is_integer() or dtype == pl.Null
        holds, wanted = {
            "job_id": (number or dtype == pl.String, "whole numbers"),
            "user_id": (number or dtype == pl.String, "whole numbers"),
            "time_limit": (number, "whole numbers"),
        }.get(name, (dtype == pl.Datetime, "times") if name.endswith("_time") else (dtype == pl.String, "texts"))
        if not (holds or dtype == pl.Null):
            raise Refusal("column_type", f"column {name} holds {dtype}, where {wanted} would be right")


def _read_texts(batch: pl.DataFrame, present: list[str], numbers: dict[str, int]) -> tuple[pl.DataFrame, np.ndarray]:
    """Rows with their texts read, and the numbers of their nodes, row by row."""
    absent = [pl.lit(None, pl.String).alias(name) for name in OPTIONAL if name not in present]
    texts = [name for name, dtype in batch.schema.items() if dtype == pl.Null]
    batch = batch.with_columns(pl.col(name).cast(_NULL_AS.get(name, pl.String)) for name in texts)
    frame = batch.with_columns(absent).with_columns(names=_node_names("nodes").list.unique(maintain_order=True))
    placed = frame.select("names").explode("names", empty_as_null=False).drop_nulls("names")
    for name in placed["names"].unique(maintain_order=True):
        numbers.setdefault(name, len(numbers))
    node = placed["names"].replace_strict(numbers, return_dtype=pl.Int64).to_numpy()
    limit_min = pl.col("time_limit").cast(pl.Int64)
    limit_text = pl.col("time_limit_str").str.strip_chars()
    stated = limit_text.is_not_null() & (limit_text != "")
    tres = (_slurm.tres_memory_gb(pl.col(column)) for column in ("tres_req_str", "tres_alloc_str"))
    columns = frame.select(
        pl.col("job_id").cast(pl.String),
        *(_epoch_ms(f"{t}_time").alias(f"{t}_ms") for t in ("submit", "start", "end")),
        count=pl.col("names").list.len().cast(pl.Int32),
        text=pl.when(pl.col("names").is_null()).then(pl.col("nodes").str.slice(0, 60)),
        walltime_s=pl.when(stated)
        .then(_slurm.duration_s(pl.col("time_limit_str")))
        .otherwise(pl.when(limit_min.is_between(1, _slurm.NO_LIMIT_FROM, closed="left")).then(limit_min * 60.0)),
        memory_gb=pl.coalesce(tres),
        user=pl.col("user_id").cast(pl.String),
        row="row",
    )
    return columns, node


def _epoch_ms(column: str) -> pl.Expr:
    """Milliseconds since 1970; null for a time of no calendar, over which polars panics."""
    moment = pl.col(column).dt.epoch("ms")
    return pl.when(moment.is_between(*(1000 * limit for limit in CALENDAR_S))).then(moment)


def _node_names(column: str) -> pl.Expr:
    """Names in a text such as `[680, 681]`; empty for null, blank and `[]`, null where it is no list."""
    text = pl.col(column).str.strip_chars()
    blank = text.is_null() | text.is_in(["", "[]", "None"])
    none = pl.lit([], dtype=pl.List(pl.String))
    names = text.str.extract_all(r"[\w.-]+")
    is_list = text.str.contains(NODE_LIST) & ~text.str.contains(r"(?i)\b(nan|none|null)\b")
    return pl.when(blank).then(none).when(is_list).then(names)


def _fate(machine_nodes: int | None) -> pl.Expr:
    """Why a row cannot be used; null where nothing speaks against it so far."""
    reasons = {
        "job_id_missing": pl.col("job_id").is_null(),
        "superseded_row": ~pl.col("job_id").is_last_distinct(),
        "submit_s_missing": pl.col("submit_ms").is_null(),
        "start_or_end_missing": pl.col("start_ms").is_null() | pl.col("end_ms").is_null(),
        "nodes_unreadable": pl.col("count").is_null(),
        "end_before_start": pl.col("end_ms") < pl.col("start_ms"),
        "nodes_missing": pl.col("count") == 0,
        "larger_than_machine": pl.col("count") > (machine_nodes or 2**31 - 1),
    }
    return pl.coalesce(pl.when(applies).then(pl.lit(reason, FATE)) for reason, applies in reasons.items())


def _account(drop: Drop, rows: pl.DataFrame, file: Path) -> Yields[None]:
    """Count those of some rows of a file that are left out, and hand over those that are rejected."""
    rows = rows.with_columns(pl.col("fate").cast(pl.String))
    fates = dict(rows.drop_nulls("fate").group_by("fate").len().iter_rows())
    for reason, what in LEFT_OUT.items():
        if fates.get(reason):
            yield LeftOut(drop.name, TABLE, reason, fates[reason], what, file)
    bad = rows.filter(pl.col("fate").is_in(list(REJECTED))).with_columns(
        back_s=(pl.col("start_ms") - pl.col("end_ms")) / 1000
    )
    if len(bad):
        details = (pl.when(pl.col("fate") == reason).then(detail) for reason, detail in REJECTED.items())
        yield Rejected(bad.select("row", reason="fate", detail=pl.coalesce(details)).sort("row"), file, TABLE)


def _canonical(rows: pl.DataFrame, origin_ms: int) -> pl.DataFrame:
    def seconds(column: str) -> pl.Expr:
        return (pl.col(column) - origin_ms) / 1000

    return rows.select(
        "job_id",
        submit_s=seconds("submit_ms"),
        nodes=pl.col("count").cast(pl.Int64),
        walltime_s="walltime_s",
        runtime_s=(pl.col("end_ms") - pl.col("start_ms")) / 1000,
        requested_memory_gb=pl.col("memory_gb") / pl.col("count"),
        user="user",
        start_s=seconds("start_ms"),
        end_s=seconds("end_ms"),
        position="position",
        row="row",
    )
