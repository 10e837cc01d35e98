"""The job table of M100 ExaData: which jobs can be used, and where they ran."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from pipeline.drops import Drop, Refusal
from pipeline.readers import _placements, _slurm
from pipeline.readers._files import open_table
from pipeline.readers._placements import Placements
from pipeline.readers._sink import Sink

TABLE = "jobs"
SHORTEST_S = 60.0
"""Jobs that run no longer than this are left out (HiPC 2024, Section V-A)."""

TEXT_ROWS = 1 << 14
"""Rows whose texts are read at a time: lists of nodes, taken apart, are many times as large as the rows."""

REQUIRED = ("job_id", "submit_time", "start_time", "end_time", "nodes")
OPTIONAL = ("time_limit", "time_limit_str", "user_id", "tres_req_str", "tres_alloc_str")

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


def read(drop: Drop, files: list[Path], sink: Sink) -> Jobs | None:
    """Hand the jobs to keep to the sink and count the others by reason; None where none can be used."""
    numbers: dict[str, int] = {}
    frames, placed = [], []
    count = 0
    for number, file in enumerate(files):
        with sink.reading(file):
            for frame, row, node in _batches(file, numbers, sink):
                frames.append(frame.with_columns(file=pl.lit(number, pl.Int16)))
                placed.append(np.stack([row.astype(np.int64) + count, node]).astype(np.int32))
                count += len(frame)
    if not count:
        return None
    rows = pl.concat(frames, rechunk=True)
    # Tables of many months are held as numbers: what is not needed any more goes at once.
    frames.clear()
    row, node = np.concatenate(placed, axis=1)
    placed.clear()
    rows = rows.with_columns(fate=_fate(drop.settings.nodes))
    row, node = _of(rows["fate"].is_null().to_numpy(), row, node)
    start_ms, end_ms = (rows[c].fill_null(0).to_numpy() for c in ("start_ms", "end_ms"))
    is_shared = _placements.shared(row, node, start_ms[row], end_ms[row], len(rows))
    short = pl.col("end_ms") - pl.col("start_ms") <= SHORTEST_S * 1000
    origin_ms = rows.filter(pl.col("fate").is_null()).select(pl.min_horizontal("submit_ms", "start_ms").min()).item()
    all_nodes = set(pl.Series(list(numbers)).gather(np.unique(node)))
    rows = rows.with_columns(
        fate=pl.when(pl.col("fate").is_not_null())
        .then("fate")
        .when(short)
        .then(pl.lit("ran_a_minute_or_less"))
        .when(pl.Series(is_shared))
        .then(pl.lit("shared_nodes"))
    )
    for number, file in enumerate(files):
        _account(drop, rows.filter(pl.col("file") == number), file, sink)
    kept = rows.with_row_index("number").filter(pl.col("fate").is_null())
    if kept.is_empty():
        sink.note(drop.name, "No job had its nodes to itself for more than a minute.")
        return None
    for number, file in enumerate(files):
        of_file = kept.filter(pl.col("file") == number)
        if len(of_file):
            sink.rows(TABLE, _canonical(of_file, origin_ms), file)
    notes = [
        f"Times count from {pl.Series([origin_ms]).cast(pl.Datetime('ms')).dt.strftime('%Y-%m-%dT%H:%M:%SZ')[0]}. "
        f"{len(kept)} of {rows.height} job rows are kept: jobs of more than a minute that had their nodes to "
        "themselves (the others by reason in table tally)."
    ]
    kept = kept.select("number", "end_ms", "job_id").sort("end_ms", "job_id")
    job_of_row = np.full(len(rows), -1)
    job_of_row[kept["number"].to_numpy()] = np.arange(len(kept))
    row, node = _of(job_of_row >= 0, row, node)
    names = pl.Series("node", list(numbers), dtype=pl.String).gather(np.unique(node)).sort()
    code = np.full(len(numbers), -1)
    code[[numbers[name] for name in names]] = np.arange(len(names))
    placements = _placements.place(kept["end_ms"].to_numpy(), job_of_row[row], code[node], start_ms[row], len(names))
    return Jobs(kept["job_id"], names, all_nodes, placements, int(origin_ms), notes)


def _of(wanted: np.ndarray, row: np.ndarray, node: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of the rows that are wanted."""
    mine = wanted[row]
    return row[mine], node[mine]


def _batches(file: Path, numbers: dict[str, int], sink: Sink) -> Iterator[tuple[pl.DataFrame, np.ndarray, np.ndarray]]:
    """The columns that matter of a job table, texts read, batch by batch, with pairs of row and number of a node.

    `numbers` holds the numbers of the nodes so far and takes new ones.
    """
    table = open_table(file)
    missing = [name for name in REQUIRED if name not in table.names]
    if missing:
        raise Refusal(
            "columns_missing", f"columns {', '.join(missing)} are missing; the job table of M100 ExaData has them"
        )
    present = [*REQUIRED, *(name for name in OPTIONAL if name in table.names)]

    def reject(rows: pl.DataFrame) -> None:
        sink.reject_rows(rows, file, table=TABLE)

    for batch in table.batches(present, reject):
        for rows in batch.iter_slices(TEXT_ROWS):
            yield _read_texts(rows, present, numbers)


def _read_texts(
    batch: pl.DataFrame, present: list[str], numbers: dict[str, int]
) -> tuple[pl.DataFrame, np.ndarray, np.ndarray]:
    """Rows with their texts read, and pairs of row (in the batch) and number of a node."""
    absent = [pl.lit(None, pl.String).alias(name) for name in OPTIONAL if name not in present]
    frame = batch.with_columns(absent).with_columns(names=_node_names("nodes").list.unique(maintain_order=True))
    placed = frame.select("names").with_row_index("at").explode("names", empty_as_null=False).drop_nulls("names")
    for name in placed["names"].unique(maintain_order=True):
        numbers.setdefault(name, len(numbers))
    node = placed["names"].replace_strict(numbers, return_dtype=pl.Int64).to_numpy()
    limit_min = pl.col("time_limit").cast(pl.Int64)
    limit_text = pl.col("time_limit_str").str.strip_chars()
    stated = limit_text.is_not_null() & (limit_text != "")
    tres = (_slurm.tres_memory_gb(pl.col(column)) for column in ("tres_req_str", "tres_alloc_str"))
    columns = frame.select(
        pl.col("job_id").cast(pl.String),
        *(pl.col(f"{t}_time").dt.epoch("ms").alias(f"{t}_ms") for t in ("submit", "start", "end")),
        count=pl.col("names").list.len().cast(pl.Int32),
        text=pl.when(pl.col("names").is_null()).then(pl.col("nodes").str.slice(0, 60)),
        walltime_s=pl.when(stated)
        .then(_slurm.duration_s(pl.col("time_limit_str")))
        .otherwise(pl.when(limit_min.is_between(1, _slurm.NO_LIMIT_FROM, closed="left")).then(limit_min * 60.0)),
        memory_gb=pl.coalesce(tres),
        user=pl.col("user_id").cast(pl.String),
        row="row",
    )
    return columns, placed["at"].to_numpy(), node


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
    return pl.coalesce(pl.when(found).then(pl.lit(reason)) for reason, found in reasons.items())


def _account(drop: Drop, rows: pl.DataFrame, file: Path, sink: Sink) -> None:
    """Count the rows of a file that are left out, and hand over those that are rejected."""
    fates = dict(rows.drop_nulls("fate").group_by("fate").len().iter_rows())
    for reason, what in LEFT_OUT.items():
        if fates.get(reason):
            sink.left_out(drop.name, TABLE, reason, fates[reason], what, file)
    bad = rows.filter(pl.col("fate").is_in(list(REJECTED))).with_columns(
        back_s=(pl.col("start_ms") - pl.col("end_ms")) / 1000
    )
    if len(bad):
        details = (pl.when(pl.col("fate") == reason).then(detail) for reason, detail in REJECTED.items())
        sink.reject_rows(bad.select("row", reason="fate", detail=pl.coalesce(details)).sort("row"), file, table=TABLE)


def _canonical(kept: pl.DataFrame, origin_ms: int) -> pl.DataFrame:
    def seconds(column: str) -> pl.Expr:
        return (pl.col(column) - origin_ms) / 1000

    return kept.select(
        "job_id",
        submit_s=seconds("submit_ms"),
        nodes=pl.col("count").cast(pl.Int64),
        walltime_s="walltime_s",
        runtime_s=(pl.col("end_ms") - pl.col("start_ms")) / 1000,
        requested_memory_gb=pl.col("memory_gb") / pl.col("count"),
        user="user",
        start_s=seconds("start_ms"),
        end_s=seconds("end_ms"),
        row="row",
    )
