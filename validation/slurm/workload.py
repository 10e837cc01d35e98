"""The jobs of a log, made small enough for Slurm to execute them in minutes."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import NamedTuple

import polars as pl

from pipeline.stages.ingest import ingest

ORIGIN = {"data_source": "source", "licence": "licence", "citation": "citation"}
"""Columns of `traces` and keys of trace.yaml for where a log is from."""


class Workload(NamedTuple):
    """Jobs as they are to be submitted, and the machine for them."""

    jobs: pl.DataFrame  # job (1, 2, …), log_job, submit_s, nodes, run_s, limit_s; whole seconds
    nodes: int
    origin: dict[str, str]  # source, licence, citation of the log
    what: str  # which jobs these are, in words


def of_log(log: Path, first: int, count: int, node_scale: int, time_scale: float) -> Workload:
    """`count` jobs of a log from the one at position `first` (from 1) on, in order of submission.

    A job takes one node for each `node_scale` nodes of the log, rounded up, and so does the machine. Submissions, run
    times and limits are divided by `time_scale`; submissions are rounded to seconds, run times up to seconds, limits up
    to minutes, as Slurm has them. A job without a limit has its run time as limit. Jobs without a run time are passed
    over.

    Raises ValueError for a log that cannot be read, has several traces, tells no size of its machine, or has no such
    jobs.
    """
    with tempfile.TemporaryDirectory(prefix="apportion-slurm-log-") as folder:
        summary = ingest(log.absolute(), Path(folder) / "log")
        if summary.traces.height != 1 or not summary.rows["jobs"]:
            raise ValueError(f"{log}: one log of jobs is needed\n{summary.text()}")
        jobs = pl.read_parquet(Path(folder) / "log" / "jobs.parquet")
    trace = summary.traces.row(0, named=True)
    if trace["nodes"] is None:
        raise ValueError(f"{log}: the size of its machine is not known; state `nodes` in trace.yaml")
    ran = jobs.filter(pl.col("runtime_s") > 0).sort("submit_s", "position")
    chosen = ran.slice(first - 1, count)
    if chosen.height < count:
        raise ValueError(f"{log}: it has {ran.height} jobs that ran; {count} from job {first} on are not there")
    scaled = chosen.select(
        job=pl.int_range(1, count + 1),
        log_job="job_id",
        submit_s=((pl.col("submit_s") - pl.col("submit_s").min()) / time_scale).round(),
        nodes=(pl.col("nodes") / node_scale).ceil(),
        run_s=(pl.col("runtime_s") / time_scale).ceil(),
        limit_s=(pl.coalesce("walltime_s", "runtime_s") / time_scale / 60).ceil() * 60,
    ).with_columns(pl.col("submit_s", "nodes", "run_s", "limit_s").cast(pl.Int64))
    parts = [f"jobs {first} to {first + count - 1} of {trace['trace']}"]
    parts += [f"times divided by {time_scale:g}"] if time_scale != 1 else []
    parts += [f"one node for {node_scale} of the log"] if node_scale != 1 else []
    origin = {key: trace[column] for column, key in ORIGIN.items() if trace[column]}
    return Workload(scaled, math.ceil(trace["nodes"] / node_scale), origin, ", ".join(parts))
