"""Accounting of Grid Engine (SGE, OGE, UGE, OCS): files of any name, as `accounting`, plain or gzip; one trace.

Told by the first record, fields between colons. Source: man page accounting(5) of Sun Grid Engine 6.2u5, whose records
have 45 fields; older ones have 43, and those of Univa Grid Engine more behind them and, from 8.2 on, milliseconds.

Names of jobs, requests (`h_rt=24:00:00`) and Univa's command lines hold colons, so a record is told by its shape: the
job's number, seven numbers further the start, and so on. No count from either end does for all versions.

Slots are cores, and jobs share nodes. A record has the host of its master alone, so no list of nodes is known. maxvmem,
in bytes, is the virtual memory of the whole job, h_vmem that of a slot; both are divided by cores, or nodes.
"""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from pipeline.drops import Drop, DropSettings
from pipeline.readers import _accounting, _sge_json, _shared_nodes
from pipeline.readers._extent import rows
from pipeline.readers._items import Note, Yields
from pipeline.readers._numbers import GB_PER_BYTE

FORMAT = "sge"
GIVES = ("jobs",)

_REAL = r"-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?"
_HEAD = (
    r"^(?P<queue>[^:]*):(?P<host>[^:]*):[^:]*:(?P<user>[^:]*):(?P<name>.*?):(?P<number>\d+):[^:]*:-?\d+"
    r":(?P<submit>0|\d{9,}):(?P<start>0|\d{9,}):(?P<end>0|\d{9,}):(?P<failed>\d+):-?\d+"
)
"""Queue, host, group, owner, job name, job number, account, priority, three times, failed, exit status.

A time is 0 or has the digits of one, so that a record with a field too few or too many fits nowhere.
"""
_SHAPE = (
    _HEAD
    + rf"(?::{_REAL}){{18}}:[^:]*:[^:]*:(?P<pe>[^:]*):(?P<slots>\d+):(?P<task>\d+)(?::{_REAL}){{3}}"
    + rf":(?P<category>.*?):{_REAL}:(?P<pe_task>[^:]*[A-Za-z][^:]*):(?P<maxvmem>{_REAL})(?::.*)?$"
)
"""Then ru_*, project, department, parallel environment, slots, task, cpu, mem, io, requests, iow, task of the parallel
environment, maxvmem, and what versions add.
"""
_SIGN = re.compile(f"{_HEAD}:|{_sge_json.SIGN}")
_AGAIN = (24, 25)
"""Codes `failed` of a run that was migrated or rescheduled, which goes on in another."""
_LEFT_OUT = {
    "rescheduled": "runs that were rescheduled or migrated (failed 24, 25) and go on in another",
    "pe_task": "records of single tasks of a parallel environment; the job has its own",
}
_SIZES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}
_MILLISECONDS = 12
"""Digits from which on a time is in milliseconds."""


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:  # noqa: ARG001
    """The accounting files among the files, by their first record."""
    return _accounting.with_sign(files, _SIGN)


def memory_bytes(drop: Drop, files: list[Path]) -> int:
    """Peak memory of reading the files."""
    return _accounting.BYTES_A_JOB * sum(rows(file) for file in recognises(files, drop.settings))


def read(drop: Drop, files: list[Path]) -> Yields[None]:
    """The jobs of all files, as trace `<drop>`."""
    of_node = _shared_nodes.cores_of_node(drop.settings)
    system = _accounting.System(lambda lines: _parse(lines, of_node), _LEFT_OUT, only_cpus=True)
    what = "cores" if (yield from _accounting.read(drop, files, system)) else "nodes"
    yield Note(
        drop.name,
        f"Used memory is maxvmem, the virtual memory of the job, requested memory h_vmem of its slots, by {what}.",
    )


def _parse(lines: pl.DataFrame, of_node: int | None) -> pl.DataFrame:
    """Records of lines (row, text); with the cores of a node, jobs have the fewest nodes that hold their slots."""
    parts = _parts(lines)
    slots = pl.col("slots").cast(pl.Int64, strict=False)
    nodes = (slots / of_node).ceil().cast(pl.Int64) if of_node else pl.lit(1, pl.Int64)
    asked = {name: pl.col("category").str.extract(rf"(?:^|[ ,]){name}=([^ ,]+)") for name in ("h_rt", "h_vmem")}
    parts = parts.with_columns(**asked, nodes=nodes, cpus=slots).with_columns(
        limit_s=_accounting.seconds(pl.col("h_rt")), of_slot_gb=_size_gb(pl.col("h_vmem"))
    )
    used_gb = pl.col("maxvmem").cast(pl.Float64, strict=False) * GB_PER_BYTE
    records = parts.select(
        "row",
        reason=pl.when(pl.col("number").is_null())
        .then(pl.lit("malformed_line"))
        .when(~pl.col("pe_task").is_in(["NONE", "none"]))
        .then(pl.lit("pe_task"))
        .when(pl.col("start").str.contains("^0+$"))
        .then(pl.lit("never_started"))
        .when(pl.col("failed").cast(pl.Int64, strict=False).is_in(_AGAIN))
        .then(pl.lit("rescheduled")),
        detail=pl.when(pl.col("number").is_null()).then(
            pl.format("no record of accounting(5): {}", pl.col("text").str.slice(0, 80))
        ),
        job_id=pl.when(pl.col("task").str.contains("^0*$"))
        .then(pl.col("number"))
        .otherwise(pl.format("{}.{}", "number", "task")),
        submit_s=_time("submit"),
        start_s=_time("start"),
        end_s=_time("end"),
        nodes="nodes",
        cpus="cpus",
        walltime_s=pl.when(pl.col("limit_s") > 0).then("limit_s"),
        requested_memory_gb=pl.when(pl.col("of_slot_gb") > 0).then(pl.col("of_slot_gb") * slots / pl.col("nodes")),
        used_memory_gb=pl.when(used_gb > 0).then(used_gb / pl.col("nodes")),
        user="user",
        name="name",
        partition="queue",
        unknown=_accounting.unreadable({"limit_s": "h_rt", "of_slot_gb": "h_vmem"}).replace(
            {"limit_s_unreadable": "walltime_s_unreadable", "of_slot_gb_unreadable": "requested_memory_gb_unreadable"}
        ),
    )
    return _accounting.as_records(records)


def _parts(lines: pl.DataFrame) -> pl.DataFrame:
    """Row, text and fields of records, be they lines of accounting(5) or of JSON."""
    is_json = pl.col("text").str.starts_with("{")
    of_text = lines.filter(~is_json).select("row", "text", pl.col("text").str.extract_groups(_SHAPE).alias("parts"))
    records = of_text.unnest("parts")
    if len(records) == len(lines):
        return records
    return pl.concat([records, _sge_json.parts(lines.filter(is_json))]).sort("row")


def _time(name: str) -> pl.Expr:
    """Seconds since 1970, of milliseconds where a time has their digits."""
    text = pl.col(name)
    in_seconds = text.str.replace(r"^(\d+)(\d{3})$", "${1}.${2}")
    return pl.when(text.str.len_bytes() >= _MILLISECONDS).then(in_seconds).otherwise(text)


def _size_gb(text: pl.Expr) -> pl.Expr:
    """GB in a size as `4G`; a capital unit is a power of 1024, a small one of 1000 (sge_types(1))."""
    parts = text.str.extract_groups(r"^(\d{1,18}(?:\.\d+)?)([kmgtKMGT]?)$")
    unit = parts.struct.field("2").replace_strict(_SIZES, default=None, return_dtype=pl.Float64)
    return parts.struct.field("1").cast(pl.Float64) * unit * GB_PER_BYTE
