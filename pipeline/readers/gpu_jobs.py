"""Jobs of GPU clusters: pods of Alibaba (2023), `cluster_log.csv` of Helios, `cluster_job_log` of Philly.

Source: README of cluster-trace-gpu-v2023 (Weng et al., USENIX ATC 2023), of HeliosData (Hu et al., SC 2021) and of
philly-traces (Jeon et al., USENIX ATC 2019). What jobs and machine count is GPUs, or thousandths of one where pods
share them. None of the logs has the memory of GPUs that jobs used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from pipeline.drops import ColumnSource, Drop, DropSettings, Refusal
from pipeline.readers._columns import Binding, find_absolute, since, to_canonical
from pipeline.readers._files import CsvTable, Reject, beginning, first_line
from pipeline.readers._json_array import objects
from pipeline.readers._machine import NODE_LISTS
from pipeline.readers._sink import Sink
from pipeline.readers._tables import HELD_BYTES_A_ROW, held_bytes, one
from pipeline.tables import GPU, MILLI_GPU, Job

FORMAT = "gpu_jobs"
GIVES = ("jobs",)
JOBS_AT_ONCE = 10_000
LEAST_BYTES_A_JOB, PACKED = 250, 15
"""Bytes of a job of Philly with one attempt on one GPU, and to how many times its size a packed log unpacks."""
MOST_GPUS = 1000
"""GPUs of the largest machine of a cluster."""
WHOLE = 1000
"""Thousandths of a GPU."""
NOTHING = ("", "None", "NaT", "nan", "null")
"""Texts of a time that is not there."""

_PHILLY = re.compile(rb'\A\s*\[\s*\{(?=.*"jobid")(?=.*"attempts"\s*:)', re.DOTALL)
_MACHINES = ({"sn", "gpu"}, "gpu"), ({"machineId", "number of GPUs"}, "number of GPUs")
"""Lists of machines: columns that tell them, and the one with the GPUs of each."""


@dataclass(frozen=True)
class _Layout:
    """Columns of a table of jobs. milli: thousandths of a GPU that a job of one GPU gets."""

    columns: dict[str, str]
    milli: str | None = None


ALIBABA = _Layout(
    {
        "job_id": "name",
        "submit_s": "creation_time",
        "start_s": "scheduled_time",
        "end_s": "deletion_time",
        "nodes": "num_gpu",
    },
    milli="gpu_milli",
)
HELIOS = _Layout(
    {
        "job_id": "job_id",
        "user": "user",
        "submit_s": "submit_time",
        "start_s": "start_time",
        "end_s": "end_time",
        "nodes": "gpu_num",
        "runtime_s": "duration",
    }
)
PHILLY = _Layout({name: name for name in HELIOS.columns})
_SCHEMA = pl.Schema(
    {
        "jobid": pl.String,
        "submitted_time": pl.String,
        "user": pl.String,
        "attempts": pl.List(
            pl.Struct(
                {
                    "start_time": pl.String,
                    "end_time": pl.String,
                    "detail": pl.List(pl.Struct({"ip": pl.String, "gpus": pl.List(pl.String)})),
                }
            )
        ),
    }
)
"""What is read of a job of Philly."""


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:  # noqa: ARG001
    """Tables of jobs by their columns or keys, and the lists of machines beside them."""
    jobs = [file for file in files if _layout(file) is not None]
    return [*jobs, *(file for file in files if _gpu_column(file) is not None)] if jobs else []


def _layout(file: Path) -> _Layout | None:
    names = set(first_line(file).split(","))
    for layout in (ALIBABA, HELIOS):
        if names >= {*layout.columns.values(), *([layout.milli] if layout.milli else [])}:
            return layout
    return PHILLY if _PHILLY.match(beginning(file)) else None


def _gpu_column(file: Path) -> str | None:
    names = {name.strip() for name in first_line(file).split(",")}
    return next((column for columns, column in _MACHINES if names >= columns), None)


def memory_bytes(drop: Drop, files: list[Path]) -> int:
    """Peak memory of reading the table."""
    logs = [file for file in recognises(files, drop.settings) if _layout(file) is PHILLY]
    tables = held_bytes(file for file in recognises(files, drop.settings) if file not in logs)
    unpacked = sum(file.stat().st_size * (PACKED if file.suffix == ".gz" else 1) for file in logs)
    return tables + HELD_BYTES_A_ROW * unpacked // LEAST_BYTES_A_JOB


def read(drop: Drop, files: list[Path], sink: Sink) -> None:
    """Hand the jobs that ran on GPUs to the sink. Raises Refusal where there are several tables of jobs."""
    sink.trace(drop.name)
    file = one(drop, [file for file in files if _layout(file) is not None], "jobs")
    gpus = sum(_gpus(drop, other, sink) for other in files if _gpu_column(other) is not None)
    if file is None:
        return
    with sink.reading(file):
        layout = _layout(file)

        def reject(rows: pl.DataFrame) -> None:
            sink.reject_rows(rows, file, table="jobs")

        held, cut = [], None
        try:
            for batch in _philly(file) if layout is PHILLY else _csv(file, layout, reject):
                held.append(batch)
        except Refusal as refusal:
            cut = refusal
        if held:
            _hand_over(drop, file, layout, pl.concat(held), gpus, sink)
        if cut is not None:
            raise cut


def _gpus(drop: Drop, file: Path, sink: Sink) -> int:
    """GPUs of the machines in a list of them; 0 where it cannot be read. Rows without a number of GPUs are rejected."""
    found = machines = 0
    with sink.reading(file):
        column = _gpu_column(file)
        for batch in CsvTable(file).batches([column], lambda rows: sink.reject_rows(rows, file, table=None)):
            gpus = batch.select("row", given=column, gpus=pl.col(column).str.strip_chars().cast(pl.Int64, strict=False))
            known = gpus.filter(pl.col("gpus").is_between(0, MOST_GPUS))
            unknown = gpus.join(known, on="row", how="anti", maintain_order="left").select(
                "row",
                reason=pl.lit("gpus_unreadable"),
                detail=pl.format(
                    f"{column} = {{}} is no number of GPUs, 0 to {MOST_GPUS}", pl.col("given").fill_null("")
                ),
            )
            sink.reject_rows(unknown, file, table=None)
            sink.count_rows(file, known.height)
            found += known["gpus"].sum()
            machines += known.height
    sink.observed(drop.name, "jobs", "machine", machines, "machines in the list beside the jobs, which give the size")
    return found


def _csv(file: Path, layout: _Layout, reject: Reject) -> Iterator[pl.DataFrame]:
    columns = [*layout.columns.values(), *([layout.milli] if layout.milli else [])]
    for batch in CsvTable(file).batches(columns, reject):
        texts = pl.when(~pl.col(pl.String).is_in(NOTHING)).then(pl.col(pl.String))
        yield batch.with_columns(texts)


def _philly(file: Path) -> Iterator[pl.DataFrame]:
    """Jobs with the GPUs of the largest attempt, the first start, the last end and the time of all attempts."""
    jobs: list[dict] = []
    row = 1
    try:
        for job in objects(file, lambda text: text.lstrip().removeprefix("["), "job"):
            jobs.append({key: job.get(key) for key in _SCHEMA})
            if len(jobs) == JOBS_AT_ONCE:
                yield _of_attempts(jobs, row)
                row, jobs = row + len(jobs), []
    except Refusal:
        if jobs:
            yield _of_attempts(jobs, row)
        raise
    if jobs:
        yield _of_attempts(jobs, row)


def _of_attempts(jobs: list[dict], row: int) -> pl.DataFrame:
    try:
        frame = pl.DataFrame(jobs, schema=_SCHEMA, strict=False)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        raise Refusal("column_type", "a job's attempts are not laid out as Philly has them", row=row) from None
    attempt = pl.element().struct
    times = {
        name: pl.col("attempts").list.eval(attempt.field(name).str.to_datetime("%Y-%m-%d %H:%M:%S", strict=False))
        for name in ("start_time", "end_time")
    }
    gpus = pl.element().struct.field("detail").list.eval(pl.element().struct.field("gpus").list.len()).list.sum()
    frame = frame.with_row_index("row", row).with_columns(
        **times, gpus=pl.col("attempts").list.eval(gpus), tries=pl.col("attempts").list.len()
    )
    starts, ends = pl.col("start_time"), pl.col("end_time")
    ended = (starts.list.drop_nulls().list.len() == pl.col("tries")) & (
        ends.list.drop_nulls().list.len() == pl.col("tries")
    )
    seconds = (ends.explode().dt.epoch("s") - starts.explode().dt.epoch("s")).sum()
    ran = frame.filter(ended, pl.col("tries") > 0).group_by("row").agg(seconds.alias("runtime_s"))
    shown = "%Y-%m-%dT%H:%M:%S"
    return frame.join(ran, on="row", how="left", maintain_order="left").select(
        pl.col("row").cast(pl.Int64),
        pl.col("jobid").alias("job_id"),
        "user",
        pl.col("submitted_time").alias("submit_s"),
        starts.list.min().dt.strftime(shown).alias("start_s"),
        pl.when(ended).then(ends.list.max()).dt.strftime(shown).alias("end_s"),
        pl.col("gpus").list.max().cast(pl.String).alias("nodes"),
        pl.col("runtime_s").cast(pl.String),
    )


def _hand_over(drop: Drop, file: Path, layout: _Layout, frame: pl.DataFrame, gpus: int, sink: Sink) -> None:
    """Give the jobs that ran on GPUs to the sink, and count the others."""
    sources = {name: ColumnSource(**{"from": [column]}) for name, column in layout.columns.items()}
    binding = find_absolute(Binding(sources, ()), frame)
    jobs, bad = to_canonical(frame, binding, Job, drop.settings.time_zone)
    if layout.milli:
        share = Binding({"nodes": ColumnSource(**{"from": [layout.milli]})}, ())
        milli, unread = to_canonical(frame, share, Job, drop.settings.time_zone)
        unread = unread.with_columns(pl.col(name).str.replace("nodes", layout.milli) for name in ("reason", "detail"))
        jobs = jobs.join(unread, on="row", how="anti", maintain_order="left")
        bad = pl.concat([bad, unread]).unique("row", keep="first", maintain_order=True).sort("row")
        jobs = jobs.join(milli.select("row", milli="nodes"), on="row", how="left", maintain_order="left")
    if not bad.is_empty():
        sink.reject_rows(bad, file, table="jobs")
    none = (pl.col("nodes") == 0).fill_null(False)
    waited = pl.col("start_s").is_null()
    sink.left_out(drop.name, "jobs", "never_started", jobs.filter(waited).height, "jobs without a start", file)
    of_none = jobs.filter(~waited, none)
    sink.left_out(drop.name, "jobs", "no_gpu", of_none.height, "jobs that got processors alone", file)
    jobs = jobs.filter(~waited, ~none)
    shared = layout.milli is not None and bool(((jobs["nodes"] == 1) & (jobs["milli"] < WHOLE)).any())
    sink.trace(
        drop.name,
        nodes=gpus * (WHOLE if shared else 1) or None,
        nodes_origin=NODE_LISTS,
        unit=MILLI_GPU if shared else GPU,
        cores=WHOLE if shared else None,
    )
    if shared:
        sink.note(drop.name, "Jobs share GPUs, so thousandths of GPUs are counted; a job's may lie on several GPUs.")
        whole = pl.col("nodes") * WHOLE
        jobs = jobs.with_columns(nodes=pl.when(pl.col("nodes") == 1).then(pl.coalesce("milli", whole)).otherwise(whole))
    sink.note(drop.name, "Memory of GPUs is not in the log; processors and main memory asked for are left out.")
    if layout is PHILLY:
        sink.note(drop.name, "Run times are those of all attempts of a job together; it counts as busy in between.")
    times = [jobs[name].min() for name in ("submit_s", "start_s", "end_s") if name in binding.absolute]
    origin = min((time for time in times if time is not None), default=0)
    if binding.absolute:
        sink.note(drop.name, f"Times count from the first time in the jobs, Unix time {origin / 1e6:.0f}.")
    jobs = since(jobs, binding, origin)
    if "runtime_s" not in jobs.columns:
        jobs = jobs.with_columns(runtime_s=pl.col("end_s") - pl.col("start_s"))
    sink.rows("jobs", jobs.drop("milli", strict=False), file)
