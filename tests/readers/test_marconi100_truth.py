"""The M100 ExaData reader against what a generated month is known to hold, faults and all."""

import polars as pl
import pytest

from pipeline.stages import ingest
from pipeline.synthetic import marconi100

SPOILT = ["end_missing", "start_missing", "end_before_start", "nodes_garbage", "nodes_null", "nodes_empty"]


@pytest.fixture(scope="module")
def month(tmp_path_factory):
    folder = tmp_path_factory.mktemp("marconi100")
    truth = marconi100.write_marconi100(
        folder / "m100", 7, months=["22-05", "22-06"], nodes=40, jobs=3000, days=2, gpu=True, parts=2
    )
    ingest.ingest(folder / "m100", folder / "out")
    return truth, {path.stem: pl.read_parquet(path) for path in (folder / "out").glob("*.parquet")}


def rows_of(truth, metric):
    return truth.rows.filter(pl.col("metric") == metric)["rows"].sum()


@pytest.mark.slow
def test_exactly_the_jobs_that_ran_alone_for_more_than_a_minute_are_kept(month):
    truth, tables = month
    listed = truth.jobs.filter(pl.col("year_month").is_not_null())
    ran_s = (pl.col("end_time") - pl.col("start_time")).dt.total_seconds()
    whole = listed.filter(pl.col("fault").is_null() | ~pl.col("fault").is_in(SPOILT))
    alone = whole.filter(~pl.col("shares_node"), ran_s > 60).select(
        pl.col("job_id").cast(pl.String), nodes="num_nodes", runtime_s=ran_s.cast(pl.Float64)
    )
    jobs = tables["jobs"].select("job_id", "nodes", "runtime_s")
    assert jobs.sort("job_id").equals(alone.sort("job_id"))
    limits = tables["jobs"].join(listed.select(pl.col("job_id").cast(pl.String), "limit_s"), on="job_id")
    stated = limits.drop_nulls("walltime_s")
    assert (stated["walltime_s"] == stated["limit_s"]).all()
    assert 0.9 < len(stated) / len(limits) < 1


def test_counts_add_up_to_the_rows_of_the_files(month):
    truth, tables = month
    counted = tables["tallies"].filter(pl.col("fate") != "observed")
    sums = dict(counted.group_by("table_name").agg(pl.col("rows").sum()).iter_rows())
    assert sums["jobs"] == rows_of(truth, "job_info_marconi100")
    assert sums["samples"] == rows_of(truth, "mem_free")
    read = dict(
        tables["provenance"]
        .select(pl.col("file").str.extract(r"metric=(\w+)"), "rows")
        .group_by("file")
        .sum()
        .iter_rows()
    )
    assert all(read[metric] == rows_of(truth, metric) for metric in read if metric is not None)
    reasons = dict(tables["tallies"].filter(pl.col("table_name") == "jobs").select("reason", "rows").iter_rows())
    assert reasons["superseded_row"] == truth.count("job_info_marconi100", "repeated")
    assert reasons["end_before_start"] == truth.count("job_info_marconi100", "end_before_start")
    assert reasons["nodes_missing"] == sum(
        truth.count("job_info_marconi100", fault) for fault in ("nodes_null", "nodes_empty")
    )
    assert reasons["nodes_unreadable"] == truth.count("job_info_marconi100", "nodes_garbage")
    assert reasons["start_or_end_missing"] == sum(
        truth.count("job_info_marconi100", fault) for fault in ("start_missing", "end_missing")
    )


def test_bad_samples_are_those_that_were_put_in(month):
    truth, tables = month
    reasons = dict(tables["tallies"].filter(pl.col("table_name") == "samples").select("reason", "rows").iter_rows())
    assert reasons["sample_invalid"] == sum(truth.count("mem_free", fault) for fault in ("value_null", "value_nan"))
    assert reasons["used_gb_negative"] == truth.count("mem_free", "free_above_total")


def test_memory_of_long_phases_is_what_was_drawn(month):
    """Samples carry noise and page cache on top, a few GB at most; a phase is drawn for the job as a whole."""
    truth, tables = month
    lasting = truth.phases.filter(pl.col("end_s") - pl.col("start_s") > 1200)
    lasting = lasting.select(
        pl.col("job_id").cast(pl.String), middle_s=(pl.col("start_s") + pl.col("end_s")) / 2, drawn_gb="memory_gb"
    )
    fitted = (
        tables["phases"]
        .filter(pl.col("node").is_null())
        .with_columns(end_s=pl.col("duration_s").cum_sum().over("job_id"))
    )
    fitted = fitted.with_columns(start_s=pl.col("end_s") - pl.col("duration_s"))
    both = fitted.join(lasting, on="job_id").filter(pl.col("middle_s").is_between("start_s", "end_s"))
    assert len(both) > 30
    assert (both["memory_gb"] - both["drawn_gb"]).median() == pytest.approx(0, abs=12)
    assert pl.DataFrame(both).select(pl.corr("memory_gb", "drawn_gb")).item() > 0.85


def test_gpu_memory_is_kept_by_job_node_and_gpu(month):
    _, tables = month
    gpus = tables["gpu_memory"]
    assert set(gpus["gpu"]) == {0, 1, 2, 3}
    assert (gpus["peak_gb"] >= gpus["mean_gb"] - 1e-9).all()
    assert gpus["job_id"].is_in(tables["jobs"]["job_id"].implode()).all()
