"""Logs of rigid jobs that the benchmarks replay, as tables and as files."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from pipeline import synthetic

SEED, PROCESSORS, LOAD = 1, 256, 0.85


def jobs(count: int) -> pl.DataFrame:
    """A log after the workload model of Lublin and Feitelson on 256 processors at a load of 0.85."""
    return synthetic.lublin_jobs(SEED, count, PROCESSORS, LOAD)


def inputs(log: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Tables of hpc_memory for a log (job_id, submit_s, nodes, walltime_s, runtime_s): one phase a job, no memory."""
    log = log.with_columns(workload_id=pl.lit("log"))
    return {
        "jobs": log.select("workload_id", "job_id", "submit_s", "nodes", "walltime_s"),
        "phases": log.select(
            "workload_id", "job_id", phase=pl.lit(0), duration_s="runtime_s", memory_gb=pl.lit(0.0)
        ),
    }  # fmt: skip


def scenario(backfilling: str = "easy") -> pl.DataFrame:
    """The scenario table of pure EASY on that log."""
    return pl.DataFrame(
        {
            "scenario_id": ["easy"],
            "scheduler": ["unlimited"],
            "workload_id": ["log"],
            "nodes": [PROCESSORS],
            "backfilling": [backfilling],
        }
    )


def write_swf(log: pl.DataFrame, folder: Path) -> Path:
    """The log as a drop of its own (log.swf, which is returned)."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "log.swf"
    path.write_text(synthetic.swf_text(log, PROCESSORS, "generated for a benchmark"), encoding="utf-8")
    return path
