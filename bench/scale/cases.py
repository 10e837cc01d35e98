"""The traces: what an item is, how many there are at full size, and how a drop with so many is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow.parquet as pq

from bench import logs
from pipeline import synthetic

SEED = 1
PIECE = 5_000_000
"""Items that are made and written at a time; making must not take more memory than what is measured."""
NODES = 988
MONTHS = ("22-05", "22-06", "22-07")
MONTH_DAYS = 30
SWF_JOBS, EDGES, EDGES_A_VERTEX, TASKS, TASKS_A_SET = 5_000_000, 100_000_000, 10, 10_000_000, 100
LINES, PM100_JOBS, ROWS, PHASES_A_JOB = 5_000_000, 5_000_000, 10_000_000, 9
BEGINNING = datetime(2026, 1, 1)


@dataclass(frozen=True)
class Case:
    """A trace by size. `make(folder, share)` writes a drop of that share of the full size and returns its items."""

    items: str
    trace: str
    make: Callable[[Path, float], int]


def _months(folder: Path, share: float) -> int:
    """Months of node memory in one drop, as many as the share has whole, below one some days of the first."""
    whole = round(len(MONTHS) * share)
    days = None if whole else max(1, round(MONTH_DAYS * len(MONTHS) * share))
    synthetic.write_marconi100(folder, SEED, MONTHS[: max(whole, 1)], NODES, days=days)
    files = folder.glob("year_month=*/plugin=*/metric=mem_free/*.parquet")
    return sum(pq.read_metadata(file).num_rows for file in files)


def _log(folder: Path, share: float) -> int:
    """A log after Lublin and Feitelson."""
    count = round(SWF_JOBS * share)
    logs.write_swf(logs.jobs(count), folder)
    return count


def _graph(folder: Path, share: float) -> int:
    """Edges between vertices drawn at random, without weights."""
    count = round(EDGES * share)
    rng = np.random.default_rng(SEED)
    folder.mkdir(parents=True)
    with (folder / "random.el").open("wb") as file:
        for start in range(0, count, PIECE):
            ends = rng.integers(0, count // EDGES_A_VERTEX, (2, min(PIECE, count - start)), dtype=np.uint32)
            piece = pl.DataFrame({"source": ends[0], "target": ends[1]})
            piece.write_csv(file, include_header=False, separator="\t")
    return count


def _tasks(folder: Path, share: float) -> int:
    """Sets of tasks with periods of 10 to 1000."""
    count = round(TASKS * share)
    rng = np.random.default_rng(SEED)
    folder.mkdir(parents=True)
    with (folder / "tasks.csv").open("wb") as file:
        for start in range(0, count, PIECE):
            number = np.arange(start, min(start + PIECE, count))
            period = rng.integers(10, 1001, len(number))
            piece = pl.DataFrame(
                {
                    "taskset_id": number // TASKS_A_SET,
                    "task_id": number % TASKS_A_SET,
                    "period": period,
                    "deadline": period,
                    "work": np.round(period * rng.uniform(0.01, 0.5, len(number)), 2),
                    "kind": np.where(number % 2, "compute", "memory"),
                }
            )
            piece.write_csv(file, include_header=start == 0)
    return count


def _submissions(first: int, count: int) -> pl.DataFrame:
    """Jobs from number `first`, one submitted every 10 s, with times that have no time zone."""
    rng = np.random.default_rng((SEED, first))
    number = np.arange(first, first + count)
    submit = pl.lit(BEGINNING) + pl.duration(seconds=pl.Series(10 * number))
    wait, ran = rng.integers(0, 7200, count), rng.integers(60, 86_400, count)
    frame = pl.DataFrame({"number": number, "wait": wait, "elapsed_s": ran, "nodes": rng.integers(1, 33, count)})
    start = submit + pl.duration(seconds="wait")
    return frame.with_columns(submit=submit, start=start, end=start + pl.duration(seconds="elapsed_s"))


def _accounting(folder: Path, share: float) -> int:
    """Accounting of Slurm: a line per job and one for its only step, which holds the memory used."""
    count = round(LINES * share) // 2
    folder.mkdir(parents=True)
    with (folder / "year.sacct").open("wb") as file:
        for first in range(0, count, PIECE):
            jobs = _submissions(first, min(PIECE, count - first))
            lines = pl.concat([_lines(jobs, step=False), _lines(jobs, step=True)]).sort("number", maintain_order=True)
            lines.drop("number").write_csv(file, include_header=first == 0, separator="|", quote_style="never")
    return 2 * count


def _lines(jobs: pl.DataFrame, *, step: bool) -> pl.DataFrame:
    """The lines of the jobs, or of their steps, as sacct prints them: a step has memory, a job the rest."""
    nothing = pl.lit("")
    return jobs.select(
        "number",
        pl.format("{}{}", "number", pl.lit(".0") if step else nothing).alias("JobID"),
        (nothing if step else pl.format("user{}", pl.col("number") % 97)).alias("User"),
        *(pl.col(name.lower()).dt.to_string("%Y-%m-%dT%H:%M:%S").alias(name) for name in ("Submit", "Start", "End")),
        pl.format("00:00:{}", "elapsed_s").alias("Elapsed"),
        pl.col("nodes").alias("NNodes"),
        (nothing if step else pl.lit("1-00:00:00")).alias("Timelimit"),
        (nothing if step else pl.lit("180G")).alias("ReqMem"),
        (pl.format("{}K", 1000 * pl.col("elapsed_s")) if step else nothing).alias("MaxRSS"),
        pl.lit("COMPLETED").alias("State"),
    )


def _pm100(folder: Path, share: float) -> int:
    """The columns of PM100 that are read."""
    count = round(PM100_JOBS * share)
    folder.mkdir(parents=True)
    names = {"submit": "submit_time", "start": "start_time", "end": "end_time", "elapsed_s": "run_time"}
    with pq.ParquetWriter(folder / "job_table.parquet", _pm100_jobs(0, 1, names).to_arrow().schema) as file:
        for first in range(0, count, PIECE):
            file.write_table(_pm100_jobs(first, min(PIECE, count - first), names).to_arrow())
    return count


def _pm100_jobs(first: int, count: int, names: dict[str, str]) -> pl.DataFrame:
    return (
        _submissions(first, count)
        .rename(names)
        .select(
            *(pl.col(name).dt.replace_time_zone("UTC") for name in list(names.values())[:3]),
            "run_time",
            job_id="number",
            time_limit=pl.lit(1440),
            num_nodes_alloc="nodes",
            mem_req=180.0 * pl.col("nodes"),
            user_id=pl.col("number") % 97,
        )
    )


def _canonical(folder: Path, share: float) -> int:
    """Jobs, each with its phases."""
    count = round(ROWS * share) // (1 + PHASES_A_JOB)
    folder.mkdir(parents=True)
    jobs = _submissions(0, count).select(
        job_id="number", submit_s=10.0 * pl.col("number"), nodes="nodes", walltime_s=pl.lit(86_400.0),
        runtime_s=pl.col("elapsed_s").cast(pl.Float64),
    )  # fmt: skip
    rng = np.random.default_rng(SEED)
    phases = jobs.select("job_id", duration_s=pl.col("runtime_s") / PHASES_A_JOB)
    phases = phases.join(pl.DataFrame({"phase": np.arange(PHASES_A_JOB)}), how="cross", maintain_order="left_right")
    phases = phases.with_columns(memory_gb=rng.uniform(1, 200, phases.height))
    jobs.write_parquet(folder / "jobs.parquet")
    phases.write_parquet(folder / "phases.parquet")
    return jobs.height + phases.height


CASES = {
    "marconi100": Case(
        "samples", f"{len(MONTHS)} months of memory of {NODES} nodes in one drop, and their jobs", _months
    ),
    "swf": Case("jobs", "a log in the Standard Workload Format", _log),
    "edge_list": Case("edges", f"a graph of {EDGES_A_VERTEX} edges a vertex as text", _graph),
    "sacct": Case("lines", "accounting of Slurm, a job and a step in turn", _accounting),
    "pm100": Case("jobs", "a job table of PM100, Parquet", _pm100),
    "canonical": Case("rows", f"jobs and {PHASES_A_JOB} phases of each, Parquet", _canonical),
    "tasks": Case("tasks", f"sets of {TASKS_A_SET} tasks as CSV", _tasks),
}
