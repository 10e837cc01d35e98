"""Expected ends that are one instant by arithmetic stay one by floating point."""

import polars as pl
import pytest

from pipeline.studies import hpc_memory


def starts(jobs, scale=1.0, **scenario):
    """Start of each job (nodes, duration, submit) on four nodes under Priority without memory."""
    frame = pl.DataFrame(jobs, schema=["nodes", "duration_s", "submit_s"], orient="row").with_row_index("job_id")
    frame = frame.with_columns(pl.col("duration_s", "submit_s") * scale, workload_id=pl.lit("w"))
    phases = frame.select("workload_id", "job_id", "duration_s", phase=pl.lit(0), memory_gb=pl.lit(1.0))
    row = {"scenario_id": "s", "scheduler": "priority", "workload_id": "w", "nodes": 4, "memory_gb": 0.0} | scenario
    outcomes = hpc_memory.replay({"jobs": frame, "phases": phases}, pl.DataFrame([row]))["outcomes"]
    return outcomes.sort("job_id")["start_s"].to_list()


@pytest.mark.parametrize("scale", [1.0, 0.1, 3.6, 1e-3])
def test_a_job_that_ends_at_the_shadow_time_is_backfilled(scale):
    # Nothing but slow memory: every job runs for duration / alpha, which is its walltime too. The third job waits for
    # the first, until 51 / alpha; the fourth is over by then if it starts when the second ends: 37 + 14 = 51.
    got = starts([(2, 51.0, 0.0), (2, 37.0, 0.0), (4, 5.0, 1.0), (2, 14.0, 2.0)], scale, alpha=0.03)
    assert got == pytest.approx([0, 0, 51 / 0.03 * scale, 37 / 0.03 * scale], rel=1e-9)
