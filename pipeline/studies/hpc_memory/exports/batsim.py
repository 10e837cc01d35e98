"""A schedule of hpc_memory as the jobs file of Batsim (CSV), which evalys draws and measures.

Columns and their meaning are those of the file `_jobs.csv` that Batsim writes (Dutot, Mercier, Poquet, Richard, JSSPP
2016; documentation of Batsim and of evalys). Times are in seconds; `requested_time` is -1 where the workload has no
estimates; `stretch` is turnaround over execution time. Of a rejected job the times are empty and it has no resources.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from pipeline.export.source import Source
from pipeline.runtime import storage
from pipeline.studies.hpc_memory.exports._schedule import first_fit, schedule

FORMAT = "batsim"
TAKES = "<scenario_id>"
TARGET = "jobs.csv"
DONE, REJECTED = "COMPLETED_SUCCESSFULLY", "REJECTED"


def write(source: Source, what: str, target: Path) -> str:
    """Write the jobs of a scenario of hpc_memory as CSV."""
    scenario, jobs = schedule(source, what)
    frame = table(jobs, scenario["workload_id"], scenario["nodes"])
    with storage.replacing_file(target) as part:
        frame.write_csv(part)
    return f"{target}: {len(frame)} jobs of {what} on {scenario['nodes']} nodes"


def table(jobs: pl.DataFrame, workload: str, machine_nodes: int) -> pl.DataFrame:
    """Jobs in Batsim's columns.

    jobs: job_id, submit_s, nodes, walltime_s, start_s, end_s. Raises ValueError where the machine is too small for
    the schedule.
    """
    ran = pl.col("start_s").is_not_null()
    execution, turnaround = pl.col("end_s") - pl.col("start_s"), pl.col("end_s") - pl.col("submit_s")
    return jobs.select(
        "job_id",
        pl.lit(workload).alias("workload_name"),
        pl.col("submit_s").alias("submission_time"),
        pl.col("nodes").alias("requested_number_of_resources"),
        pl.col("walltime_s").fill_null(-1.0).alias("requested_time"),
        ran.cast(pl.Int64).alias("success"),
        pl.when(ran).then(pl.lit(DONE)).otherwise(pl.lit(REJECTED)).alias("final_state"),
        pl.col("start_s").alias("starting_time"),
        execution.alias("execution_time"),
        pl.col("end_s").alias("finish_time"),
        (pl.col("start_s") - pl.col("submit_s")).alias("waiting_time"),
        turnaround.alias("turnaround_time"),
        (turnaround / execution).alias("stretch"),
        first_fit(jobs, machine_nodes).alias("allocated_resources"),
    )
