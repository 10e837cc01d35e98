"""Slurm's accounting in other shapes than lines of sacct, as tables with sacct's fields, which its reader takes.

JSON is that of `sacct --json` and of slurmrestd (`/slurmdb/…/jobs/`): source is Slurm's data_parser v0.0.37 to v0.0.44.
Numbers are plain in older versions and {set, infinite, number} in newer ones; a step's MaxRSS is `mem` in
tres.requested.max. The other shape is the job table of Slurm's database as CSV.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.drops import Refusal
from pipeline.readers._files import BATCH_ROWS, CsvTable, Reject, Table, beginning, first_line, separator_of
from pipeline.readers._json_array import objects

SUFFIXES = (".json", ".json.gz")
_TEXT = (*SUFFIXES, ".txt", ".out", ".log")
_TABLES = (".csv", ".csv.gz", ".txt", ".tsv", ".psv")
_ARRAY = r'"jobs"\s*:\s*\['
_SIGN = re.compile(rb'"(?:allocation_nodes|association|submission)"\s*:')
"""Keys of jobs in the accounting, which the queue (`squeue --json`) calls otherwise."""
_FIELDS = (
    "JobID", "JobName", "User", "Partition", "Cluster", "Submit", "Start", "End", "ElapsedRaw", "NNodes", "NCPUS",
    "NTasks", "TimelimitRaw", "ReqMem", "MaxRSS", "State", "NodeList",
)  # fmt: skip
_OF_JOB = {
    "JobName": ("name",), "User": ("user",), "Partition": ("partition",), "Cluster": ("cluster",),
    "NodeList": ("nodes",), "NNodes": ("allocation_nodes",), "NCPUS": ("required", "CPUs"),
    "TimelimitRaw": ("time", "limit"),
}  # fmt: skip
"""Where a job has the fields."""
_BYTES_A_LINE = 2000
_SHRUNK = 16
"""Times that a compressed file shrinks, at most."""
_PER_CPU = 1 << 63
"""Bit of memory in MB that says it is that of a processor."""
_STATES = (
    "PENDING", "RUNNING", "SUSPENDED", "COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "PREEMPTED",
    "BOOT_FAIL", "DEADLINE", "OUT_OF_MEMORY",
)  # fmt: skip
"""Base states by their numbers in the database."""
_DATABASE = {
    "Submit": "time_submit", "Start": "time_start", "End": "time_end", "TimelimitRaw": "timelimit", "User": "id_user",
    "NNodes": "nodes_alloc", "ReqCPUS": "cpus_req", "ReqMem": "mem_req", "State": "state", "NodeList": "nodelist",
    "JobName": "job_name", "Partition": "partition",
}  # fmt: skip
_ARRAY_IDS = ("id_array_job", "id_array_task")
_NO_TASK = 4_294_967_294


def is_records(file: Path) -> bool:
    """Whether a file is one of these shapes, by its name and the first 64 KiB."""
    return _is_json(file) or _is_database(file)


def table(file: Path) -> Table | None:
    """The jobs and steps of such a file as a table with sacct's fields; None for others. Times are seconds of 1970."""
    if _is_json(file):
        return _Json(file)
    return _Database(CsvTable(file, separator_of(first_line(file)))) if _is_database(file) else None


def lines(file: Path) -> int | None:
    """About how many lines sacct would print of a file of JSON; None for others."""
    name = file.name.lower()
    shrunk = _SHRUNK if name.endswith(".gz") else 1
    return file.stat().st_size * shrunk // _BYTES_A_LINE + 1 if name.endswith(SUFFIXES) else None


def _is_json(file: Path) -> bool:
    head = beginning(file) if file.name.lower().endswith(_TEXT) else b""
    return head.lstrip()[:1] == b"{" and re.search(_ARRAY.encode(), head) is not None and bool(_SIGN.search(head))


def _is_database(file: Path) -> bool:
    header = first_line(file) if file.name.lower().endswith(_TABLES) else ""
    names = {name.strip().strip('"') for name in header.split(separator_of(header))}
    return {"id_job", "time_submit", "time_start", "time_end", "nodes_alloc"} <= names


class _Json:
    """Jobs of a JSON file one by one, so that none but the longest job has to be held; see Table."""

    def __init__(self, file: Path):
        self.file, self.names = file, list(_FIELDS)

    def batches(self, columns: Sequence[str], reject: Reject) -> Iterator[pl.DataFrame]:  # noqa: ARG002
        """See Table.batches; a row is a line that sacct would print."""
        rows: list[dict[str, str | None]] = []
        first, cut = 1, None
        try:
            for record in objects(self.file, _after_name, "job"):
                rows += _printed(record)
                if len(rows) >= BATCH_ROWS:
                    yield _frame(rows, first, columns)
                    first, rows = first + len(rows), []
        except Refusal as refusal:
            cut = refusal
        if rows:
            yield _frame(rows, first, columns)
        elif first == 1 and cut is None:
            cut = Refusal("file_empty", "the file holds no jobs")
        if cut is not None:
            raise cut


def _after_name(text: str) -> str:
    found = re.search(_ARRAY, text)
    if found is None:
        raise Refusal("unreadable_json", "the file has no array of jobs; get it anew by `sacct --allusers --json`")
    return text[found.end() :]


def _frame(rows: list[dict[str, str | None]], first: int, columns: Sequence[str]) -> pl.DataFrame:
    frame = pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String))
    return frame.with_columns(row=pl.int_range(first, first + pl.len(), dtype=pl.Int64))


def _printed(job: dict[str, Any]) -> list[dict[str, str | None]]:
    """The lines of sacct for a job and its steps: a text for each field that is known."""
    job_id, allocated, steps = _job_id(job), _at(job, "tres", "allocated"), _at(job, "steps")
    printed = {field: _text(_at(job, *keys)) for field, keys in _OF_JOB.items()} | _times(job) | {"JobID": job_id}
    printed["User"] = printed["User"] or _text(_at(job, "association", "user"))
    printed["NNodes"] = printed["NNodes"] or _text(_count(allocated, "node"))
    printed["NCPUS"] = _text(_count(allocated, "cpu")) or printed["NCPUS"]
    printed["ReqMem"] = _requested(job)
    return [printed, *(_step(job_id, step) for step in (steps if isinstance(steps, list) else ()))]


def _step(job_id: str | None, step: object) -> dict[str, str | None]:
    name = _text(_at(step, "step", "id", "step_id")) or _text(_at(step, "step", "id")) or ""
    used = _text(_count(_at(step, "tres", "requested", "max"), "mem"))
    counts = {"NNodes": _text(_at(step, "nodes", "count")), "NTasks": _text(_at(step, "tasks", "count"))}
    return {"JobID": f"{job_id}.{name.rpartition('.')[2]}", "MaxRSS": used} | counts | _times(step)


def _job_id(job: dict[str, Any]) -> str | None:
    """The number of a job, task of an array (`7_3`, pending ones `7_[4-9]`) or part of a heterogeneous job (`7+1`)."""
    array, task, waiting = (_text(_at(job, "array", key)) for key in ("job_id", "task_id", "task"))
    if array not in (None, "0") and (task or waiting):
        return f"{array}_{task or f'[{waiting}]'}"
    whole, part = _text(_at(job, "het", "job_id")), _text(_at(job, "het", "job_offset"))
    return f"{whole}+{part}" if whole not in (None, "0") and part else _text(_at(job, "job_id"))


def _times(record: object) -> dict[str, str | None]:
    names = {"Submit": "submission", "Start": "start", "End": "end", "ElapsedRaw": "elapsed"}
    times = {field: _text(_at(record, "time", key)) for field, key in names.items()}
    state = _text(_at(record, "state", "current")) or _text(_at(record, "state"))
    return times | {"State": state} | {field: None for field, time in times.items() if time == "0"}


def _requested(job: dict[str, Any]) -> str | None:
    """ReqMem in MB, of a node (n) or processor (c); versions before 23.02 have one number for both."""
    needs = _at(job, "required")
    for key, of in (("memory_per_cpu", "c"), ("memory_per_node", "n")):
        if (number := _text(_at(needs, key))) not in (None, "0"):
            return f"{number}M{of}"
    number = _at(needs, "memory")
    if isinstance(number, int) and number > 0:
        return f"{number - _PER_CPU}Mc" if number >= _PER_CPU else f"{number}Mn"
    total = _text(_count(_at(job, "tres", "requested"), "mem"))
    return f"{total}M" if total else None


def _at(value: object, *keys: str) -> object:
    """What lies below the keys; None where there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _count(resources: object, kind: str) -> object:
    """The count of a kind in a list of trackable resources."""
    found = resources if isinstance(resources, list) else ()
    return next((_at(item, "count") for item in found if _at(item, "type") == kind), None)


def _text(value: object) -> str | None:
    """A value as a text; numbers may be wrapped, states be lists; None for what is not there or not set."""
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, dict):
        value = "UNLIMITED" if value.get("infinite") else value.get("number") if value.get("set") else None
    return str(value) if isinstance(value, str | int | float) and value != "" else None


class _Database:
    """Jobs of the table `<cluster>_job_table`; see Table."""

    def __init__(self, jobs: CsvTable):
        self.jobs = jobs
        self.there = {field: name for field, name in _DATABASE.items() if name in jobs.names}
        self.names = ["JobID", *self.there]

    def batches(self, columns: Sequence[str], reject: Reject) -> Iterator[pl.DataFrame]:
        """See Table.batches."""
        ids = [name for name in ("id_job", *_ARRAY_IDS) if name in self.jobs.names]
        for batch in self.jobs.batches([*ids, *dict.fromkeys(self.there.values())], reject):
            texts = batch.select(
                "row", self._id(), *(pl.col(name).alias(field) for field, name in self.there.items())
            ).with_columns(pl.col("Submit", "Start", "End").replace("0", None))
            yield texts.with_columns(
                as_printed for field, as_printed in _AS_PRINTED.items() if field in self.there
            ).select("row", *columns)

    def _id(self) -> pl.Expr:
        if not set(_ARRAY_IDS) <= set(self.jobs.names):
            return pl.col("id_job").alias("JobID")
        task = pl.col("id_array_task").cast(pl.Int64, strict=False)
        of_array = (pl.col("id_array_job") != "0") & (task < _NO_TASK)
        return pl.when(of_array).then(pl.format("{}_{}", *_ARRAY_IDS)).otherwise("id_job").alias("JobID")


def _memory() -> pl.Expr:
    number = pl.col("ReqMem").cast(pl.UInt64, strict=False)
    of_cpu = pl.format("{}Mc", number - pl.lit(_PER_CPU, pl.UInt64))
    return pl.when(number >= pl.lit(_PER_CPU, pl.UInt64)).then(of_cpu).otherwise(pl.col("ReqMem") + "Mn")


_AS_PRINTED = {
    "ReqMem": _memory().alias("ReqMem"),
    "State": pl.col("State").replace({str(number): name for number, name in enumerate(_STATES)}),
    # Some dumps have lists of names as Python prints them.
    "NodeList": pl.col("NodeList").str.replace(r"^\['(.*)'\]$", "${1}").str.replace_all("', '", ",", literal=True),
}
