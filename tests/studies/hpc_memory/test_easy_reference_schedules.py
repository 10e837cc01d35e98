"""EASY schedules of two logs of 10,000 jobs, equal job by job to those of pyss and of an independent reference."""

import gzip

import hpc_memory_slow as slow
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from pipeline.studies import hpc_memory

pytestmark = pytest.mark.real

LOGS = {"kth10k": 100, "lublin10k": 256}  # processors
RULES = {"easy": "per_instant", "easy_per_event": "per_event"}
COMPILED = RULES | {"reserve": "per_instant"}  # one reservation is EASY
JOB, SUBMIT, RUNTIME, PROCESSORS, REQUESTED_TIME = 0, 1, 3, 4, 8  # fields of the Standard Workload Format, from 0


@pytest.fixture(scope="module", params=LOGS)
def log(request, trace_data):
    """(folder, name, jobs) of a log: one phase without memory per job."""
    folder = trace_data / "hpc" / "easy_reference"
    with gzip.open(folder / f"{request.param}.swf.gz", "rt") as lines:
        rows = [[int(value) for value in line.split()[:9]] for line in lines if not line.startswith(";")]
    frame = pl.DataFrame(rows, orient="row", schema=[f"field_{k}" for k in range(9)])
    names = {
        "job_id": JOB,
        "submit_s": SUBMIT,
        "duration_s": RUNTIME,
        "nodes": PROCESSORS,
        "walltime_s": REQUESTED_TIME,
    }
    return folder, request.param, frame.select(pl.col(f"field_{k}").alias(name) for name, k in names.items())


def reference(folder, name, backfilling):
    return pl.read_csv(folder / f"{name}.{COMPILED[backfilling]}.csv.gz").select(
        job_id="job", start_s=pl.col("start").cast(pl.Float64), end_s=pl.col("end").cast(pl.Float64)
    )


def test_compiled_schedules_are_the_reference_ones(log):
    folder, name, jobs = log
    jobs = jobs.with_columns(workload_id=pl.lit(name))
    phases = jobs.select("workload_id", "job_id", "duration_s", phase=pl.lit(0), memory_gb=pl.lit(0.0))
    scenarios = pl.DataFrame({"scenario_id": list(COMPILED), "backfilling": list(COMPILED)}).with_columns(
        workload_id=pl.lit(name), scheduler=pl.lit("unlimited"), nodes=pl.lit(LOGS[name]), memory_gb=pl.lit(0.0)
    )
    outcomes = hpc_memory.replay({"jobs": jobs.drop("duration_s"), "phases": phases}, scenarios)["outcomes"]
    assert outcomes.height == 3 * jobs.height == 30_000
    for backfilling in COMPILED:
        rows = outcomes.filter(pl.col("scenario_id") == backfilling).select("job_id", "start_s", "end_s")
        assert_frame_equal(
            rows.sort("job_id"), reference(folder, name, backfilling), check_dtypes=False, abs_tol=1e-6, rel_tol=0
        )


@pytest.mark.slow
@pytest.mark.parametrize("backfilling", RULES)
def test_slow_schedules_are_the_reference_ones(log, backfilling):
    folder, name, jobs = log
    workload = [
        slow.Job(job_id, submit, nodes, ((duration, 0),), walltime)
        for job_id, submit, duration, nodes, walltime in jobs.iter_rows()
    ]
    result = slow.replay(workload, slow.Scenario(LOGS[name], 0, "unlimited", backfilling=backfilling))
    for job_id, start, end in reference(folder, name, backfilling).iter_rows():
        assert (result.starts[job_id], result.ends[job_id]) == (start, end), job_id
