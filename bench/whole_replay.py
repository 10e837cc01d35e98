"""A log in, its EASY schedule out, as a process: `python -m bench.whole_replay DROP SCRATCH SCHEDULE RULE`.

What a peer does as a process, done by this project: read a drop that holds one SWF log, replay it by EASY backfilling
and write job_id and start_s as Parquet.
"""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl

from bench import logs
from pipeline.runtime import storage
from pipeline.stages.ingest import ingest
from pipeline.studies import hpc_memory


def main(drop: Path, scratch: Path, schedule: Path, backfilling: str) -> None:
    """Write the schedule of the log in folder `drop`."""
    ingest(drop, scratch)
    # Ties of submission go by job number, which an id is not.
    log = pl.read_parquet(scratch / "jobs.parquet").with_columns(pl.col("job_id").cast(pl.Int64))
    outcomes = hpc_memory.replay(logs.inputs(log), logs.scenario(backfilling))["outcomes"]
    storage.write(outcomes.select("job_id", "start_s"), schedule)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]), sys.argv[4])
