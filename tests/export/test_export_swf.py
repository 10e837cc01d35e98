"""SWF out and in again: what was read comes back, and schedules are as they were replayed."""

import polars as pl
import pytest

from pipeline.export import export
from pipeline.stages import ingest
from pipeline.studies.hpc_memory.exports import swf

KEPT = ["job_id", "submit_s", "nodes", "walltime_s", "runtime_s", "requested_memory_gb", "used_memory_gb", "user",
        "name", "start_s", "end_s"]  # fmt: skip


def read_back(path, tmp_path) -> pl.DataFrame:
    """Jobs of a log, by our own reader."""
    drop = tmp_path / "again"
    drop.mkdir()
    path.rename(drop / path.name)
    summary = ingest.ingest(drop, tmp_path / "ingested")
    assert summary.format == "swf"
    assert not summary.rejected
    return pl.read_parquet(tmp_path / "ingested" / "jobs.parquet")


@pytest.mark.parametrize("trace", ["lublin_like/lublin_like", "told/told"])
def test_a_trace_comes_back_as_it_was(source, trace, tmp_path):
    export("swf", source, trace, tmp_path / "jobs.swf")
    ours = source.rows("SELECT * FROM job WHERE trace = $1 ORDER BY submit_s, job_id", trace)
    again = read_back(tmp_path / "jobs.swf", tmp_path).sort("submit_s", "job_id")
    assert len(ours) in (3, 1500)
    assert again.select(KEPT).equals(ours.select(KEPT))
    assert pl.read_parquet(tmp_path / "ingested" / "traces.parquet")["nodes"][0] in (64, 128)


def test_a_schedule_has_the_starts_and_ends_of_the_replay(source, scenario, tmp_path):
    chosen = scenario("hpc_memory", "scheduler = 'priority'")
    export("swf", source, chosen, tmp_path / "schedule.swf")
    assert f"; Note: schedule by priority: {chosen}\n" in (tmp_path / "schedule.swf").read_text()
    again = read_back(tmp_path / "schedule.swf", tmp_path).with_columns(pl.col("job_id").cast(pl.Int64)).sort("job_id")
    ours = source.rows(
        "SELECT job_id::BIGINT AS job_id, submit_s, nodes, outcome.start_s, outcome.end_s "
        "FROM outcome_hpc_memory AS outcome JOIN job_hpc_memory AS job USING (job_id) "
        "WHERE scenario_id = $1 AND job.workload_id = (SELECT workload_id FROM scenario WHERE scenario_id = $1) "
        "ORDER BY 1",
        chosen,
    )
    assert len(ours) == 60
    assert again["job_id"].equals(ours["job_id"])
    assert again["nodes"].equals(ours["nodes"])
    for name in ("submit_s", "start_s", "end_s"):
        # Submission, wait and run time are each rounded to a millionth.
        assert (again[name] - ours[name]).abs().max() <= 2e-6


def test_each_field_stands_where_the_standard_has_it():
    jobs = pl.DataFrame(
        {
            "job_id": ["a7", "a3"], "submit_s": [0.0, 1.5], "nodes": [2, 3], "walltime_s": [60.0, None],
            "runtime_s": [30.25, None], "requested_memory_gb": [2.0, None], "used_memory_gb": [1.25, None],
            "user": ["eve", "eve"], "name": [None, "solver"], "start_s": [4.0, None], "rejected": [None, "too large"],
        },
        schema_overrides={"rejected": pl.String},
    )  # fmt: skip
    text = swf.text(jobs, 8, "none", "by hand")
    assert text.splitlines()[-2:] == [
        "1 0 4 30.25 2 -1 1250000 2 60 2000000 1 1 -1 -1 -1 -1 -1 -1",
        "2 1.5 -1 -1 3 -1 -1 3 -1 -1 5 1 -1 1 -1 -1 -1 -1",
    ]
    assert "; MaxProcs: 8\n" in text
    assert "; Note: job_id, user, name numbered from 1 in the order of their first occurrence\n" in text


def test_ids_that_are_one_as_numbers_are_numbered_anew():
    same = pl.DataFrame({"job_id": ["1", "01"], "submit_s": [0.0, 1.0], "nodes": [1, 1]})
    rest = {
        name: pl.lit(None, pl.Float64)
        for name in ("walltime_s", "runtime_s", "start_s", "requested_memory_gb", "used_memory_gb")
    }
    frame = same.with_columns(**rest, **{n: pl.lit(None, pl.String) for n in ("user", "name", "rejected")})
    assert [
        line.split()[0] for line in swf.text(frame, None, "none", "x").splitlines() if not line.startswith(";")
    ] == [
        "1",
        "2",
    ]


def test_a_trace_that_is_not_there_is_named_with_the_nearest(source, tmp_path):
    with pytest.raises(ValueError, match="did you mean 'lublin_like/lublin_like'"):
        export("swf", source, "lublin_lik/lublin_like", tmp_path / "x.swf")
    assert not list(tmp_path.iterdir())
