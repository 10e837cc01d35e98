"""PM100, jobs of Marconi100 from May to October 2020: `job_table.parquet`, or the file that `jobs:` states.

Source: F. Antici et al., "PM100: a job power consumption dataset of a large-scale production HPC system", SC'23
Workshops, and the description of its columns kept with it. Memory is in GB and that of the whole job, as its processors
and GPUs are, so `mem_req` is divided by the nodes allocated. It holds no use of memory; power series and lists of nodes
are not read.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl

from pipeline.drops import ColumnSource, Drop, DropSettings, Refusal
from pipeline.readers import _slurm
from pipeline.readers._columns import Binding, since
from pipeline.readers._files import open_table
from pipeline.readers._items import LeftOut, Note, Reading, Rows, Trace, Yields
from pipeline.readers._tables import held_bytes, load_table, named, one, stated_file
from pipeline.runtime.wording import listing

FORMAT = "pm100"
GIVES = ("jobs",)

_COLUMNS = {
    "submit_s": {"from": ["submit_time"]},
    "start_s": {"from": ["start_time"]},
    "end_s": {"from": ["end_time"]},
    "runtime_s": {"from": ["run_time"]},
    "walltime_s": {"from": ["time_limit"], "unit": "min"},
    "nodes": {"from": ["num_nodes_alloc"]},
    "requested_memory_gb": {"from": ["mem_req"]},
    "user": {"from": ["user_id"]},
}
"""Where the canonical columns come from; `columns:` in trace.yaml goes before."""
_OF_JOB = ("mem_req", "mem_alloc")
"""Columns that hold the memory of all nodes of a job together."""


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:
    """The job table: with this format stated the file that `jobs:` names, else `job_table.parquet`."""
    if settings.jobs is None:
        return [file for file in files if file.name == "job_table.parquet"]
    if settings.format != FORMAT:
        return []
    # A stated file that is missing is for the reader to name.
    return named(files, "jobs", settings.jobs) or files


def memory_bytes(drop: Drop, files: list[Path]) -> int:
    """Peak memory of reading the job table."""
    return held_bytes(recognises(files, drop.settings))


def read(drop: Drop, files: list[Path]) -> Yields[None]:
    """The jobs that ran. Raises Refusal where the job table is not there, or there twice."""
    yield Trace(drop.name)
    stated_file(drop, files, "jobs")
    file = one(drop, files, "job_table")
    if file is not None:
        with Reading(file) as reading:
            yield from _read_jobs(drop, file)
        yield reading


def _read_jobs(drop: Drop, file: Path) -> Yields[None]:
    settings = _with_sources(drop.settings, open_table(file).names)
    table = yield from load_table(replace(drop, settings=settings), file, "jobs")
    origin = table.earliest_us()
    if origin is not None:
        yield Note(drop.name, f"Times count from the first time in the jobs, Unix time {origin / 1e6:.0f}.")
    frame = table.frame if origin is None else since(table.frame, table.binding, origin)
    frame = yield from _per_node(_known_times(frame, table.binding), table.binding, drop)
    repeated, last = frame.filter(_slurm.superseded()), frame.filter(~_slurm.superseded())
    ran = pl.col("start_s").is_not_null() | pl.col("runtime_s").is_not_null()
    for reason, rows, detail in (
        ("requeued", repeated, "rows of a job before its last, which counts"),
        ("never_started", last.filter(~ran), "jobs with neither a start nor a run time"),
    ):
        yield LeftOut(drop.name, "jobs", reason, rows.height, detail, file)
    yield Rows("jobs", last.filter(ran), file)


def _with_sources(settings: DropSettings, names: list[str]) -> DropSettings:
    """The settings with the sources of all columns; nodes are those asked for where the allocated ones are not there.

    Raises Refusal where neither is: the column called nodes lists their names.
    """
    columns = {name: ColumnSource.model_validate(source) for name, source in _COLUMNS.items()} | settings.columns
    if "nodes" not in settings.columns and "num_nodes_alloc" not in names:
        if "num_nodes_req" not in names:
            raise Refusal(
                "columns_missing", f"neither num_nodes_alloc nor num_nodes_req is there. Found: {listing(names)}."
            )
        columns["nodes"] = ColumnSource.model_validate({"from": ["num_nodes_req"]})
    return settings.model_copy(update={"columns": columns})


def _known_times(frame: pl.DataFrame, binding: Binding) -> pl.DataFrame:
    """Start, end, run time and limit, null where they are not there; a run time is else that from start to end."""
    absent = [name for name in ("start_s", "end_s", "runtime_s", "walltime_s") if name not in frame.columns]
    frame = frame.with_columns(pl.lit(None, dtype=pl.Float64).alias(name) for name in absent)
    limit = pl.col("walltime_s")
    unlimited_s = _slurm.NO_LIMIT_FROM * (binding.sources["walltime_s"].scale if "walltime_s" in binding.sources else 1)
    return frame.with_columns(
        pl.coalesce("runtime_s", pl.col("end_s") - pl.col("start_s")).alias("runtime_s"),
        pl.when(limit > 0, limit < unlimited_s).then(limit).alias("walltime_s"),
    )


def _per_node(frame: pl.DataFrame, binding: Binding, drop: Drop) -> Yields[pl.DataFrame]:
    """Memory per node from that of the job; nothing requested is not known. Columns mapped elsewhere stay."""
    source = binding.sources.get("requested_memory_gb")
    if source is None or source.names[0] not in _OF_JOB:
        return frame
    yield Note(drop.name, f"Requested memory is {source.names[0]}, that of the job, divided by its nodes.")
    memory, nodes = pl.col("requested_memory_gb"), pl.col("nodes")
    return frame.with_columns(pl.when(memory != 0, nodes > 0).then(memory / nodes).alias("requested_memory_gb"))
