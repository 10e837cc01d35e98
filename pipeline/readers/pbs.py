"""Accounting of PBS Pro, OpenPBS and Torque: files of any name, as `20240301`, plain or gzip; one trace together.

Told by the first record, `03/01/2024 09:00:00;E;12.server;user=…`. Source: the chapter on accounting logs of the
"PBS Professional Administrator's Guide" (types of records, keys, pbs_resources(7B) for sizes), and appendix "Accounting
records" of the "Torque Resource Manager Administrator Guide".

Only records of type E end a job. What was requested and used of memory is the job's and divided by its nodes. Nodes are
the names in exec_host; its processors follow the names (`n01/0*16`, or one per slot: `n01/0+n01/1`, `n01/0-15`).
"""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from pipeline.drops import Drop, DropSettings
from pipeline.readers import _accounting
from pipeline.readers._extent import rows
from pipeline.readers._items import Note, Yields

FORMAT = "pbs"
GIVES = ("jobs",)

_STAMP = r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d(?:\.\d+)?"
_SIGN = re.compile(rf"{_STAMP};[A-Za-z];[^;]*;")
_LEFT_OUT = {
    "rerun": "records of type R: runs that were given up to run again",
    "deleted": "records of type D: requests to delete a job; one that ran has its E record besides",
    "aborted": "records of type A: jobs that the server gave up",
    "array_as_whole": "E records of a whole array, as 12[].server; each of its jobs has its own",
    "other_record": "records of other types (Q, S, …), of jobs that are counted when they end",
}
_OF_TYPE = {"R": "rerun", "D": "deleted", "A": "aborted"}
_KEYS = {
    "submit_s": ("ctime", "qtime"),
    "start_s": ("start",),
    "end_s": ("end",),
    "user": ("user",),
    "name": ("jobname",),
    "partition": ("queue",),
    "exec_host": ("exec_host",),
    "place": ("Resource_List.place",),
    "nodect": ("Resource_List.nodect",),
    "ncpus": ("Resource_List.ncpus",),
    "walltime": ("Resource_List.walltime",),
    "requested": ("Resource_List.mem",),
    "used": ("resources_used.mem",),
}
"""Where each value stands, the first of the keys that is there."""
_OPTIONAL = {"walltime_s": "walltime", "requested_memory_gb": "requested", "used_memory_gb": "used"}


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:  # noqa: ARG001
    """The accounting files among the files, by their first record."""
    return _accounting.with_sign(files, _SIGN)


def memory_bytes(drop: Drop, files: list[Path]) -> int:
    """Peak memory of reading the files."""
    return _accounting.BYTES_A_JOB * sum(rows(file) for file in recognises(files, drop.settings))


def read(drop: Drop, files: list[Path]) -> Yields[None]:
    """The jobs of all files, as trace `<drop>`."""
    cores = yield from _accounting.read(drop, files, _accounting.System(_parse, _LEFT_OUT))
    what = "cores" if cores else "nodes"
    yield Note(drop.name, f"Memory (Resource_List.mem, resources_used.mem) is the whole job's, divided by its {what}.")


def _parse(lines: pl.DataFrame) -> pl.DataFrame:
    """Records of lines (row, text)."""
    parts = lines.select(
        "row", "text", pl.col("text").str.extract_groups(rf"^({_STAMP});([^;]*);([^;]*);(.*)$").alias("parts")
    ).unnest("parts")
    parts = parts.rename({"1": "stamp", "2": "type", "3": "job_id", "4": "values"})
    ended = parts.filter(pl.col("type") == "E")
    # A quoted value may hold what looks like another key.
    bare = pl.col("values").str.replace_all(r'"[^"]*"', '""')
    texts = ended.select("row", "job_id", "stamp", *(_value(bare, keys).alias(name) for name, keys in _KEYS.items()))
    texts = texts.with_columns(
        name=pl.coalesce(ended["values"].str.extract(r'(?:^| )jobname="([^"]*)"'), "name"),
        never=pl.col("start_s").is_null() | (pl.col("start_s") == "0"),
        end_s=pl.coalesce("end_s", _iso(pl.col("stamp"))),
    )
    hosts, cpus = _placed(texts["exec_host"])
    numbers = texts.with_columns(hosts=hosts, of_hosts=cpus).with_columns(
        walltime_s=_accounting.seconds(pl.col("walltime")),
        requested_memory_gb=_accounting.size_gb(pl.col("requested")),
        used_memory_gb=_accounting.size_gb(pl.col("used")),
        nodes=pl.coalesce(
            pl.when(pl.col("hosts").list.len() > 0).then(pl.col("hosts").list.len()),
            pl.col("nodect").cast(pl.Int64, strict=False),
        ).cast(pl.Int64),
        # A job that has its nodes for itself takes all of their processors.
        cpus=pl.when(~pl.col("place").fill_null("").str.contains("excl")).then(
            pl.coalesce("of_hosts", pl.col("ncpus").cast(pl.Int64, strict=False))
        ),
    )
    records = parts.select("row", "type", "text").join(
        numbers.drop("stamp"), on="row", how="left", maintain_order="left"
    )
    whole = pl.col("job_id").str.contains("[]", literal=True)
    reason = (
        pl.when(pl.col("type").is_null())
        .then(pl.lit("malformed_line"))
        .when(pl.col("type") != "E")
        .then(pl.col("type").replace_strict(_OF_TYPE, default="other_record"))
        .when(whole)
        .then(pl.lit("array_as_whole"))
        .when("never")
        .then(pl.lit("never_started"))
    )
    detail = pl.when(pl.col("type").is_null()).then(
        pl.format("no record, as 03/01/2024 09:00:00;E;12.server;user=… would be: {}", pl.col("text").str.slice(0, 80))
    )
    memory = (
        pl.when(pl.col(name) > 0, pl.col("nodes") > 0).then(pl.col(name) / pl.col("nodes")).alias(name)
        for name in ("requested_memory_gb", "used_memory_gb")
    )
    records = records.with_columns(
        *memory,
        reason=reason,
        detail=detail,
        unknown=_accounting.unreadable(_OPTIONAL),
        walltime_s=pl.when(pl.col("walltime_s") > 0).then("walltime_s"),
    )
    return _accounting.as_records(records)


def _value(values: pl.Expr, keys: tuple[str, ...]) -> pl.Expr:
    """The value of the first of the keys that a record has; an empty one is none."""
    matches = [values.str.extract(rf"(?:^| ){re.escape(key)}=([^ ]+)") for key in keys]
    return pl.coalesce(matches).replace('""', None)


def _iso(stamp: pl.Expr) -> pl.Expr:
    """A record's own time, month first, as ISO 8601."""
    return stamp.str.replace(r"^(\d\d)/(\d\d)/(\d{4}) ", "${3}-${1}-${2}T")


def _placed(exec_host: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Names of the nodes of each job, each once, and how many processors it has on them; null where not known."""
    slots = exec_host.to_frame("slots").with_row_index("job").with_columns(pl.col("slots").str.split("+"))
    slots = slots.explode("slots").select(
        "job",
        host=pl.col("slots").str.extract(r"^([^/]+)"),
        times=pl.col("slots").str.extract(r"/\d+\*(\d{1,7})$").cast(pl.Int64),
        ranges=pl.col("slots").str.extract(r"/([\d,-]+)$").str.extract_all(r"\d{1,7}(?:-\d{1,7})?"),
    )
    first = pl.element().str.extract(r"^(\d+)").cast(pl.Int64)
    last = pl.element().str.extract(r"(\d+)$").cast(pl.Int64)
    counted = slots.with_columns(pl.col("ranges").list.eval(last - first + 1).list.sum().alias("listed"))
    of_jobs = counted.group_by("job", maintain_order=True).agg(
        hosts=pl.col("host").drop_nulls().unique(maintain_order=True),
        cpus=pl.coalesce("times", "listed").sum(),
    )
    return of_jobs["hosts"], of_jobs.select(pl.when(pl.col("cpus") > 0).then("cpus"))["cpus"]
