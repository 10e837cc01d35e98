"""Executions of a workload as a drop: `<run>.sacct.gz` for each, `runs.csv`, what was asked for, and slurm.conf."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import polars as pl
import yaml

from validation.slurm import machine
from validation.slurm.workload import Workload

ISO = "%Y-%m-%dT%H:%M:%S"


class Drop:
    """The folder of a drop that is written execution by execution."""

    def __init__(self, folder: Path, workload: Workload, how: str, *, one_node: bool = False):
        """Write all but the executions; `how` is said in words. Raises FileExistsError where the folder is there."""
        folder.mkdir(parents=True)
        self.folder, self.runs, self.one_node = folder, [], one_node
        workload.jobs.write_csv(folder / "workload.csv")
        shutil.copy(machine.CONF, folder / "slurm.conf")
        settings = {
            "format": "sacct",
            "kind": "measured",
            "share": "cores" if one_node else "nodes",
            "nodes": 1 if one_node else workload.nodes,
            "cpus_per_node": workload.nodes if one_node else 1,
            "time_zone": "UTC",
            **workload.origin,
            "note": f"Executions by {how}: {workload.what}. Jobs sleep; "
            + ("each node is a processor of one node." if one_node else "each node is a slurmd of its own."),
        }
        text = yaml.safe_dump(settings, sort_keys=False, width=120, allow_unicode=True)
        (folder / "trace.yaml").write_text(text, encoding="utf-8")

    def add(self, run: str, schedule: pl.DataFrame) -> None:
        """Write the schedule of one execution, and `runs.csv` with it and those before."""
        times = [pl.col(name).dt.strftime(ISO).alias(name.capitalize()) for name in ("submit", "start", "end")]
        table = schedule.select(
            pl.int_range(1, pl.len() + 1).alias("JobID"),
            pl.col("job").alias("JobName"),
            *times,
            (pl.lit(1) if self.one_node else pl.col("cpus")).alias("NNodes"),
            pl.col("cpus").alias("NCPUS"),
            pl.col("limit_min").alias("TimelimitRaw"),
            pl.col("state").alias("State"),
        )
        text = table.write_csv(separator="|")
        with (self.folder / f"{run}.sacct.gz").open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as zipped:
            zipped.write(text.encode())
        self.runs = sorted([*self.runs, run])
        runs = pl.DataFrame({"run": self.runs, "workload": [self.folder.name] * len(self.runs)})
        runs.write_csv(self.folder / "runs.csv")
