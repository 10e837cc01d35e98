"""Tables of jobs alone: `jobs` as CSV or Parquet, or a table of any name that has or maps the columns of jobs.

Source: the columns of pipeline.tables.Job by their names, or mapped in `trace.yaml`. Run times are runtime_s, or from
start_s to end_s. With `share: cores` the column nodes counts cores, and memory is per core.

Tasks of an array may share an id, and numbers are used again: rows of one id that differ are jobs, and the second of
id 7 is called 7#2. Equal rows are one job that is there twice.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl

from pipeline.drops import Drop, DropSettings, Refusal
from pipeline.readers import _reused, batsim, memory_samples, sacct
from pipeline.readers._files import first_line, separator_of, stem
from pipeline.readers._items import Note, Reading, Trace, Yields
from pipeline.readers._tables import held_bytes, load_table, named, one, stated_file

FORMAT = "jobs"
GIVES = ("jobs",)
_NEEDED = ["job_id", "submit_s", "nodes", ("runtime_s", "end_s")]


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:
    """The only table of the drop, if it is called jobs, has their columns, or trace.yaml maps them."""
    if settings.jobs and settings.format == FORMAT:
        # A stated file that is missing is for the reader to name.
        return named(files, "jobs", settings.jobs) or files
    tables = [file for file in files if stem(file)]
    if len(tables) != 1 or memory_samples.recognises(files, settings):
        return []
    file = tables[0]
    if sacct.is_output(file) or (batsim.is_results(file) and not settings.columns):
        return []
    is_jobs = settings.format == FORMAT or file.name == settings.jobs or stem(file) == "jobs"
    return tables if is_jobs or "submit_s" in settings.columns or _has_columns(file) else []


def _has_columns(file: Path) -> bool:
    header = first_line(file)
    names = {name.strip().strip('"') for name in header.split(separator_of(header))}
    return {"job_id", "submit_s", "nodes"} <= names


def memory_bytes(drop: Drop, files: list[Path]) -> int:
    """Peak memory of reading the table."""
    return held_bytes(recognises(files, drop.settings))


def read(drop: Drop, files: list[Path]) -> Yields[None]:
    """The jobs. Raises Refusal where a stated file is not there."""
    yield Trace(drop.name)
    stated_file(drop, files, "jobs")
    file = one(drop, files, "jobs")
    if file is None:
        return
    with Reading(file) as reading:
        table = yield from load_table(drop, file, "jobs", _NEEDED)
        if "runtime_s" not in table.binding.sources and "start_s" not in table.binding.sources:
            raise Refusal("columns_missing", "the jobs have no run times: runtime_s, or start_s and end_s, are needed")
        if {"used_memory_gb", "requested_memory_gb"} & table.binding.sources.keys():
            yield Note(drop.name, "Memory is taken to be per node, or with share: cores per core.")
        origin = table.earliest_us()
        if origin is not None:
            yield Note(drop.name, f"Times count from the first time in the jobs, Unix time {origin / 1e6:.0f}.")
        if "runtime_s" not in table.frame.columns:
            table = replace(table, frame=table.frame.with_columns(_run_s(table.binding.absolute)))
        frame, sentence = _several_of_one_id(table.frame)
        if sentence:
            yield Note(drop.name, sentence)
        yield from replace(table, frame=frame).hand_over(origin)
    yield reading


def _several_of_one_id(jobs: pl.DataFrame) -> tuple[pl.DataFrame, str | None]:
    """Jobs whose ids differ unless their rows are equal in all columns; and a sentence where ids were changed."""
    columns = [name for name in jobs.columns if name not in ("row", "job_id")]
    differ = pl.any_horizontal(pl.col(columns).n_unique().over("job_id") > 1)
    several = jobs.select(differ & pl.col("job_id").is_not_null()).to_series()
    named, sentence = _reused.unique_ids(jobs.filter(several))
    return (pl.concat([jobs.filter(~several), named]).sort("row") if sentence else jobs), sentence


def _run_s(absolute: frozenset[str]) -> pl.Expr:
    """Run time from start to end, which are microseconds where they are timestamps."""
    scale = {name: 1e-6 if name in absolute else 1.0 for name in ("start_s", "end_s")}
    return (pl.col("end_s") * scale["end_s"] - pl.col("start_s") * scale["start_s"]).alias("runtime_s")
