"""Logs of PrIM programs: what becomes a run, what stands on no curve, and what is refused with a sentence."""

import polars as pl
import pytest

from pipeline.stages import ingest

OK = "\t[\x1b[32mOK\x1b[0m] Outputs are equal\n"
TIMES = {"CPU": 6.0, "CPU-DPU": 5.0, "DPU Kernel": 1.5, "DPU-CPU": 6.5}
NAME = "VA/profile/outs_tl16_bl10_dpus{}"


def line(times=TIMES, end=OK) -> str:
    return "\t".join(f"{label} Time (ms): {ms:.6f}" for label, ms in times.items()) + end


@pytest.fixture
def drop(tmp_path):
    """Write logs (path inside the drop: text) and ingest them: summary and canonical tables by name."""

    def run(logs: dict[str, str], trace_yaml: str | None = None):
        folder = tmp_path / "machine"
        for path, text in logs.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        if trace_yaml:
            (folder / "trace.yaml").write_text(trace_yaml)
        summary = ingest.ingest(folder, tmp_path / "out")
        return summary, {path.stem: pl.read_parquet(path) for path in (tmp_path / "out").glob("*.parquet")}

    return run


def rejected(tables) -> dict:
    (row,) = tables["rejected_rows"].to_dicts()
    return row


def test_the_timers_of_a_line_are_a_run_in_seconds(drop):
    _, result = drop(
        {NAME.format(128): "Allocated 128 DPU(s)\nnr_elements\t2621440\tNR_TASKLETS\t16\tBL\t10\n" + line()}
    )
    (row,) = result["pim_runs"].to_dicts()
    assert (row["app"], row["dpus"], row["ranks"], row["tasklets"], row["block_size"]) == ("VA", 128, 2, 16, 10)
    assert (row["experiment"], row["input"], row["outputs"], row["excluded"]) == (
        "strong_rank", "nr_elements=2621440", "ok", "one_measurement",
    )  # fmt: skip
    # The CPU's version is no part of the run.
    assert row["time_s"] == pytest.approx((5.0 + 1.5 + 6.5) / 1000)
    assert (row["cpu_s"], row["cpu_dpu_s"], row["kernel_s"], row["dpu_cpu_s"]) == pytest.approx(
        (0.006, 0.005, 0.0015, 0.0065)
    )


def test_a_log_without_numbers_is_refused_and_the_others_are_read(drop):
    summary, result = drop({NAME.format(64): "Allocated 64 DPU(s)\nLoad input data\n", NAME.format(128): line()})
    assert rejected(result)["reason"] == "no_times"
    assert rejected(result)["file"] == NAME.format(64)
    assert "may end before the first one did" in rejected(result)["detail"]
    assert result["pim_runs"]["dpus"].to_list() == [128]
    assert summary.code == 1


def test_an_empty_log_is_refused_too(drop):
    _, result = drop({NAME.format(64): "", NAME.format(128): line()})
    assert rejected(result)["file"] == NAME.format(64)


@pytest.mark.parametrize(
    ("written", "reason", "sentence"),
    [
        ("n/a", "time_unreadable", "DPU Kernel = 'n/a' in line 2 is not a number"),
        ("inf", "time_not_finite", "DPU Kernel = inf in line 2; a time is finite"),
        ("-1.5", "time_negative", "DPU Kernel = -1.5 in line 2; a time is >= 0"),
    ],
)
def test_a_timer_that_is_no_time_takes_its_run_away_and_no_other(drop, written, reason, sentence):
    bad = line().replace("Kernel Time (ms): 1.500000", f"Kernel Time (ms): {written}")
    _, result = drop({NAME.format(64): line() + bad + line()})
    row = rejected(result)
    assert (row["reason"], row["detail"], row["row"]) == (reason, sentence, 2)
    assert result["pim_runs"]["line"].to_list() == [1, 3]


def test_a_log_that_ends_within_a_number_is_kept_and_stands_on_no_curve(drop):
    _, result = drop({NAME.format(64): line(), NAME.format(128): line(end="")[:-4]})
    whole, cut = result["pim_runs"].sort("ranks").to_dicts()
    assert (whole["outputs"], whole["excluded"]) == ("ok", "one_measurement")
    assert (cut["outputs"], cut["verified"], cut["excluded"]) == ("truncated", False, "truncated")
    assert cut["dpu_cpu_s"] is None
    assert cut["note"] == "The log ends within a number, which is left out."


def test_a_log_that_ends_before_its_check_stands_on_no_curve(drop):
    _, result = drop({NAME.format(64): line(end="\n")})
    (row,) = result["pim_runs"].to_dicts()
    assert (row["outputs"], row["verified"], row["excluded"]) == ("absent", False, "check_absent")


def test_a_failed_check_stands_on_no_curve(drop):
    _, result = drop({NAME.format(64): line(end="\t[\x1b[31mERROR\x1b[0m] Outputs differ!\n")})
    (row,) = result["pim_runs"].to_dicts()
    assert (row["outputs"], row["excluded"]) == ("failed", "check_failed")


def test_no_dpus_are_no_rank(drop):
    _, result = drop({NAME.format(0): line(), NAME.format(64): line()})
    row = rejected(result)
    assert (row["reason"], row["file"]) == ("ranks_zero", NAME.format(0))
    assert "a run takes at least 1 DPU" in row["detail"]
    assert result["pim_runs"]["ranks"].to_list() == [1]


@pytest.mark.parametrize(("dpus", "ranks"), [(1, 1), (60, 1), (64, 1), (65, 2), (480, 8), (2560, 40)])
def test_ranks_are_dpus_over_64_rounded_up(drop, dpus, ranks):
    _, result = drop({NAME.format(dpus): line()})
    assert result["pim_runs"]["ranks"].to_list() == [ranks]
    assert result["pim_runs"]["dpus_per_rank"].to_list() == [dpus / ranks]


def test_logs_are_appended_to(drop):
    _, result = drop({NAME.format(64): line() * 3})
    assert result["pim_runs"]["run"].to_list() == [0, 1, 2]


def test_a_copied_log_is_told(drop):
    _, result = drop({NAME.format(64): line(), NAME.format(128): line()})
    assert result["pim_runs"]["excluded"].to_list() == ["copied_log"] * 2


def test_folders_above_the_application_are_traces_of_their_own(drop):
    _, result = drop({f"{host}/{NAME.format(64)}": line() for host in ("first", "second")})
    assert sorted(result["traces"]["trace"]) == ["machine/first", "machine/second"]


def test_a_log_of_no_application_is_refused_with_what_would_be_right(drop):
    _, result = drop({"outs_tl16_bl10_dpus64": line(), NAME.format(64): line()})
    assert rejected(result)["reason"] == "app_unknown"
    assert "put the log into <app>/profile/" in rejected(result)["detail"]


def test_a_queue_beside_logs_may_ask_only_for_what_was_measured(drop):
    queue = "job_id,app,arrival_s\n1,VA,0\n2,VAA,1\n"
    _, result = drop({NAME.format(64): line(), NAME.format(128): line(TIMES | {"CPU-DPU": 2.0}), "queue.csv": queue})
    assert result["queues"]["job_id"].to_list() == ["1"]
    row = rejected(result)
    assert (row["reason"], row["row"], row["file"]) == ("app_unknown", 3, "queue.csv")
    assert row["detail"].startswith("app 'VAA' has no performance table") and "VA" in row["detail"].split("table")[1]


def curve_logs(dpus_and_ms: dict[int, float], app="VA") -> dict[str, str]:
    return {
        f"{app}/profile/outss_tl16_bl10_dpus{dpus}": line(TIMES | {"DPU Kernel": ms})
        for dpus, ms in dpus_and_ms.items()
    }


def fates(tables, table="pim_runs") -> dict:
    rows = tables["tallies"].filter(pl.col("table_name") == table)
    return {(row["fate"], row["reason"]): row["rows"] for row in rows.to_dicts()}


def test_a_machine_with_faulty_dpus_belongs_to_the_curve_of_whole_ranks(drop):
    _, result = drop(curve_logs({64: 80.0, 512: 10.0, 2040: 3.0, 2556: 2.9}))
    runs = result["pim_runs"].sort("dpus")
    assert runs.select("dpus", "ranks").rows() == [(64, 1), (512, 8), (2040, 32), (2556, 40)]
    assert runs["excluded"].null_count() == 4
    assert fates(result) == {("used", None): 4}


def test_runs_below_one_rank_are_left_out_and_counted_as_such(drop):
    summary, result = drop(curve_logs({1: 99.0, 16: 9.0, 64: 8.0, 128: 4.0}) | curve_logs({64: 3.0}, app="BS"))
    assert fates(result) == {
        ("used", None): 2,
        ("left_out", "below_one_rank"): 2,
        ("left_out", "one_measurement"): 1,
    }
    (detail,) = result["tallies"].filter(reason="below_one_rank")["detail"]
    assert "pim_unit: dpu" in detail
    assert "  pim_runs: 2 rows\n" in summary.text()
    assert f"  left out 2 x below_one_rank: {detail}" in summary.text()


def test_where_the_unit_is_a_dpu_all_counts_are_dpus(drop):
    summary, result = drop(curve_logs({1: 99.0, 16: 9.0, 60: 8.0, 64: 7.0}), "pim_unit: dpu\nranks: 64\n")
    assert result["pim_runs"].sort("dpus")["ranks"].to_list() == [1, 16, 60, 64]
    assert set(result["pim_runs"]["unit"]) == {"dpu"}
    assert "4 runs, 0 rows rejected, 64 DPUs\n" in summary.text()
    assert fates(result) == {("used", None): 4}


def test_runs_on_more_ranks_than_the_machine_has_are_left_out(drop):
    _, result = drop(curve_logs({64: 8.0, 128: 4.0, 256: 2.0}), "ranks: 2\n")
    assert fates(result) == {("used", None): 2, ("left_out", "larger_than_machine"): 1}
