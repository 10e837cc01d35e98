"""Memory of the fit of a drop: it does not hold the phases."""

import os
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from pipeline import tables
from pipeline.runtime import manifest, storage

JOBS = 20_000
PHASES_A_JOB = 8
GROWTH_BYTES = 250e6
"""For 105,000 more jobs: about 100 MB are usual, of which a third is noise; with their 840,000 phases held whole and
fitted as a whole it was 480 MB."""


def drop(folder, jobs):
    """An ingested drop whose jobs recur and have memory."""
    folder.mkdir()
    rng = np.random.default_rng(1)
    job_id = pl.Series("job_id", np.arange(10**6, 10**6 + jobs)).cast(pl.String)
    table = pl.DataFrame([job_id]).with_columns(
        trace=pl.lit("t"),
        submit_s=pl.Series(np.arange(float(jobs))),
        nodes=pl.Series(rng.geometric(0.2, jobs)),
        user=pl.Series(rng.integers(0, 200, jobs)).cast(pl.String),
    )
    storage.write(tables.conform(table, tables.Job), folder / "jobs.parquet")
    with storage.TableWriter(folder / "phases.parquet", tables.polars_schema(tables.Phase)) as writer:
        for some in pl.DataFrame([job_id]).iter_slices(10_000):
            count = some.height * PHASES_A_JOB
            phases = some.select(pl.col("job_id").repeat_by(PHASES_A_JOB).explode(empty_as_null=False)).with_columns(
                trace=pl.lit("t"),
                phase=pl.Series(np.tile(np.arange(PHASES_A_JOB), some.height)),
                duration_s=pl.Series(20.0 * rng.geometric(0.02, count)),
                memory_gb=pl.Series(rng.gamma(2, 40, count)),
                origin=pl.lit("fitted"),
            )
            writer.append(tables.conform(phases, tables.Phase))
    manifest.seal(folder)
    return folder


def peak_bytes(folder, target):
    program = "import sys; from pathlib import Path; from pipeline.stages import fit; fit.fit(*map(Path, sys.argv[1:]))"
    command = [sys.executable, "-c", program, str(folder), str(target)]
    process = subprocess.Popen(command, env=os.environ | {"POLARS_MAX_THREADS": "1"})
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return used.ru_maxrss * 1024


@pytest.mark.slow
def test_four_times_the_jobs_take_little_more_memory(tmp_path):
    short = peak_bytes(drop(tmp_path / "short", JOBS), tmp_path / "short_fit")
    long = peak_bytes(drop(tmp_path / "long", 4 * JOBS), tmp_path / "long_fit")
    assert long - short < GROWTH_BYTES
