"""The public PrIM logs as a drop, compared with a table of the same measurements that was read by other means."""

import tarfile

import polars as pl
import pytest

from pipeline.fit.measured_shapes import TABLE_2
from pipeline.stages import fit as fit_drop
from pipeline.stages import ingest

NOT_FROM_LOGS = ("memclave", "uPIMulator-hw")
"""Sources of the table that published no logs."""
PHASES = {
    "cpu_s": "cpu_ms",
    "cpu_dpu_s": "cpu_dpu_ms",
    "kernel_s": "dpu_kernel_ms",
    "inter_dpu_s": "inter_dpu_ms",
    "dpu_cpu_s": "dpu_cpu_ms",
}


@pytest.fixture(scope="module")
def logs(trace_data, tmp_path_factory):
    """Folder of the logs, as a drop."""
    folder = tmp_path_factory.mktemp("drops") / "prim_logs"
    with tarfile.open(trace_data / "pim" / "prim_raw_logs.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.mark.slow
@pytest.mark.real
def test_every_run_and_phase_is_that_of_the_table(logs, trace_data, tmp_path):
    summary = ingest.ingest(logs, tmp_path / "out")
    runs = pl.read_parquet(tmp_path / "out" / "pim_runs.parquet")
    table = pl.read_csv(trace_data / "pim" / "prim_measurements.csv", infer_schema_length=None)
    table = table.filter(~pl.col("source").is_in(NOT_FROM_LOGS)).with_columns(
        log=pl.col("source") + "/" + pl.col("path")
    )
    both = runs.join(table, on=["log", "run"], how="inner", validate="1:1", suffix="_table")
    assert len(both) == len(runs) == len(table) == 558
    assert both["app"].to_list() == both["app_table"].to_list()
    for seconds, milliseconds in PHASES.items():
        assert both[seconds].is_null().to_list() == both[milliseconds].is_null().to_list()
        known = both.drop_nulls(seconds)
        assert (known[seconds] * 1e3).to_list() == pytest.approx(known[milliseconds].to_list(), rel=1e-6)
    with_dpus = both.drop_nulls("dpus")
    assert with_dpus["dpus"].to_list() == with_dpus["n_dpus"].to_list()
    assert both["verified"].to_list() == both["verified_ok"].fill_null(False).to_list()
    assert summary.rejected.keys() == {"no_times"}


@pytest.mark.slow
@pytest.mark.real
def test_two_points_of_a_real_machine_give_4_of_the_14_best_rank_counts(logs, tmp_path):
    """What an independent reading of the same timers gives, too, extrapolated to the paper's 30 ranks."""
    (logs / "trace.yaml").write_text("ranks: 30\n")
    ingest.ingest(logs, tmp_path / "ingest")
    fit_drop.fit(tmp_path / "ingest", tmp_path / "fit")
    curves = pl.read_parquet(tmp_path / "fit" / "pim_curves.parquet").filter("chosen")
    native = curves.filter(pl.col("trace").str.ends_with("/full_results/native"))
    best = dict(native.select("app", "best_ranks").iter_rows())
    met = {app for app, ranks in TABLE_2.items() if best[app] == ranks}
    assert met == {"BFS", "SEL", "SpMV", "UNI"}
    assert set(native["status"]) == {"underdetermined"}


@pytest.mark.slow
@pytest.mark.real
def test_what_was_measured_stands_in_the_tables_and_every_run_is_counted_once(logs, tmp_path):
    ingest.ingest(logs, tmp_path / "ingest")
    fit_drop.fit(tmp_path / "ingest", tmp_path / "fit")
    runs, tallies = (pl.read_parquet(tmp_path / "ingest" / f"{name}.parquet") for name in ("pim_runs", "tallies"))
    curves, perf = (pl.read_parquet(tmp_path / "fit" / f"{name}.parquet") for name in ("pim_curves", "perf_tables"))
    of_runs = tallies.filter(table_name="pim_runs")
    used = of_runs.filter(fate="used")["rows"].sum()
    assert of_runs.filter(fate="left_out")["rows"].sum() + used == len(runs)
    assert used == runs["excluded"].null_count() == curves.filter(pl.col("method").is_not_null())["runs"].sum()
    key = ["trace", "app", "variant", "experiment", "tasklets", "block_size", "input", "dpus_per_rank"]
    means = runs.filter(pl.col("excluded").is_null()).with_columns(
        dpus_per_rank=pl.when(pl.col("dpus_per_rank") > 60).then(64.0).otherwise("dpus_per_rank")
    ).group_by(*key, "ranks").agg(measured_s=pl.col("time_s").mean())  # fmt: skip
    joined = means.join(curves, on=key, nulls_equal=True, validate="m:1")
    table = joined.join(perf.select("trace", "curve", "ranks", "time_s", "source"), on=["trace", "curve", "ranks"])
    assert len(table) == len(means) == perf.filter(source="measured").height
    assert table["time_s"].to_list() == pytest.approx(table["measured_s"].to_list(), rel=1e-15)
    assert set(table["source"]) == {"measured"}
