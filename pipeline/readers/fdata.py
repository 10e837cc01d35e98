"""F-DATA, jobs of Fugaku from March 2021 to April 2024: Parquet files, as `21_04.parquet`, told by their columns.

Source: F. Antici et al., "F-DATA: A Fugaku workload dataset for job-centric predictive modelling in HPC systems",
Scientific Data 12 (2025), with the data on Zenodo (record 11467483). Dates carry their zone, `2021-04-01 10:28:01+09`;
elpl, the limit, is in seconds. mszl, the limit of memory, and mmszu, the most that a node used, are taken to be bytes
of one node, as public programs that read the data do; that is not checked against the description of the columns. A
job without a limit of memory has a number in its place that no node has.

Run time is from sdt to edt: `duration` differs from it, mostly by a second. Nodes are those allocated, nnuma; a job has
its nodes to itself. All files of a drop are one trace. Columns that are not used, as the embeddings, stay unread.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.drops import Drop, DropSettings
from pipeline.readers import _accounting
from pipeline.readers._extent import rows
from pipeline.readers._files import ParquetTable
from pipeline.readers._items import Note, Yields
from pipeline.readers._machine import LARGEST_NODE_GB
from pipeline.readers._numbers import GB_PER_BYTE

FORMAT = "fdata"
GIVES = ("jobs",)

_NEEDED = ("jid", "adt", "sdt", "edt", "nnumr")
_OPTIONAL = ("nnuma", "elpl", "mszl", "mmszu", "usr", "jnam")
_NUMBERS = {"nnumr": "nodes", "nnuma": "nodes", "elpl": "walltime_s", "mszl": "requested_memory_gb",
            "mmszu": "used_memory_gb"}  # fmt: skip
_TIMES = {"adt": "submit_s", "sdt": "start_s", "edt": "end_s"}


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:  # noqa: ARG001
    """The Parquet files with the columns of F-DATA among the files."""
    return [file for file in files if file.name.lower().endswith(".parquet") and _has_columns(file)]


def _has_columns(file: Path) -> bool:
    # Partitions of other data sets are many, and named.
    if "=" in file.parent.name:
        return False
    try:
        return set(_NEEDED) <= set(pq.read_schema(file).names)
    except (pa.ArrowException, OSError):
        return False


def memory_bytes(drop: Drop, files: list[Path]) -> int:
    """Peak memory of reading the files."""
    return _accounting.BYTES_A_JOB * sum(rows(file) for file in recognises(files, drop.settings))


def read(drop: Drop, files: list[Path]) -> Yields[None]:
    """The jobs of all files, as trace `<drop>`."""

    def batches(file: Path) -> Iterator[pl.DataFrame]:
        table = ParquetTable(file)
        return table.batches([name for name in (*_NEEDED, *_OPTIONAL) if name in table.names], _no_rows)

    yield from _accounting.read(drop, files, _accounting.System(_parse, {}), batches)
    yield Note(
        drop.name,
        "Memory is that of a node: requested mszl, where a job states it, and used mmszu, the largest use.",
    )


def _no_rows(rows: pl.DataFrame) -> None:
    """A Parquet file has no rows that cannot be parsed."""


def _parse(batch: pl.DataFrame) -> pl.DataFrame:
    """Records of rows of a table."""
    columns = {name: batch[name] if name in batch.columns else None for name in (*_NEEDED, *_OPTIONAL)}
    frame = batch.select(
        "row",
        *(_text(series, name) for name, series in columns.items()),
    )
    numbers = {name: pl.col(name).cast(pl.Float64, strict=False) for name in _NUMBERS}
    unreadable = pl.coalesce(
        pl.when(pl.col(name).is_not_null() & value.is_null()).then(pl.lit(f"{_NUMBERS[name]}_unreadable"))
        for name, value in numbers.items()
    )
    nodes = pl.coalesce(pl.when(numbers[name] > 0).then(numbers[name]) for name in ("nnuma", "nnumr"))
    limit, used = numbers["mszl"] * GB_PER_BYTE, numbers["mmszu"] * GB_PER_BYTE
    records = frame.select(
        "row",
        reason=pl.when(pl.col("sdt").is_null() | pl.col("sdt").str.starts_with("1970")).then(pl.lit("never_started")),
        detail=pl.lit(None, pl.String),
        job_id=pl.col("jid"),
        **{name: pl.col(source).str.replace(r"([+-]\d\d)$", "${1}:00") for source, name in _TIMES.items()},
        nodes=pl.when(nodes == nodes.floor()).then(nodes).cast(pl.Int64, strict=False),
        walltime_s=pl.when(numbers["elpl"] > 0).then(numbers["elpl"]),
        requested_memory_gb=pl.when(limit > 0, limit < LARGEST_NODE_GB).then(limit),
        used_memory_gb=pl.when(used > 0).then(used),
        user=pl.col("usr"),
        name=pl.col("jnam"),
        unknown=unreadable,
    )
    return _accounting.as_records(records)


def _text(values: pl.Series | None, name: str) -> pl.Series | pl.Expr:
    """A column as texts, dates in UTC; an empty one is missing, as is one that the file does not have."""
    if values is None:
        return pl.lit(None, pl.String).alias(name)
    if values.dtype == pl.Datetime:
        zoned = values.dtype.time_zone is not None
        utc = values.dt.convert_time_zone("UTC") if zoned else values
        return utc.dt.strftime("%Y-%m-%dT%H:%M:%S%.f" + ("Z" if zoned else ""))
    return values.cast(pl.String, strict=False).replace("", None)
