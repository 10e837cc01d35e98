"""Tables of kernels and of pairs measured side by side."""

import polars as pl
import pytest

from pipeline import gpus
from pipeline.stages import ingest


def run(folder, files, trace_yaml=None):
    drop = folder / "demo"
    drop.mkdir(parents=True)
    for name, content in files.items():
        (drop / name).write_text(content)
    if trace_yaml:
        (drop / "trace.yaml").write_text(trace_yaml)
    summary = ingest.ingest(drop, folder / "out")
    assert summary.format == "kernels"
    return summary, {path.stem: pl.read_parquet(path) for path in (folder / "out").glob("*.parquet")}


def rejected(tables):
    return tables["rejected_rows"].select("row", "reason").rows()


def tallies(tables):
    return {(row["fate"], row["reason"]): row["rows"] for row in tables["tallies"].iter_rows(named=True)}


def test_kernels_of_a_table(tmp_path):
    text = "kernel,gflops,memory_gbps\nBS,161.3,403.5\nGS,19.6,340.9\nBS,1,1\nRG,x,1\n"
    _, tables = run(tmp_path, {"kernels.csv": text})
    assert tables["kernels"].select("app", "kernel", "gflops", "origin").rows() == [
        ("BS", "BS", 161.3, "given"),
        ("GS", "GS", 19.6, "given"),
    ]
    assert rejected(tables) == [(5, "gflops_unreadable"), (4, "duplicate_kernel")]


def test_saturation_is_of_the_gpu_that_the_table_or_the_drop_states(tmp_path):
    text = "kernel,gflops,memory_gbps,saturation_sms\nBS,161.3,403.5,9\nGS,19.6,340.9,\nRG,1,1,-2\n"
    _, tables = run(tmp_path / "drop", {"kernels.csv": text}, "sms: 30\n")
    assert tables["kernels"].select("kernel", "saturation_sms", "gpu_sms").rows() == [("BS", 9.0, 30), ("GS", None, 30)]
    assert [row for row, _ in rejected(tables)] == [4]
    text = "kernel,gflops,memory_gbps,gpu_sms\nBS,161.3,403.5,28\n"
    _, tables = run(tmp_path / "table", {"kernels.csv": text})
    assert tables["kernels"]["gpu_sms"].to_list() == [28]


def test_pairs_need_slowdowns_or_times(tmp_path):
    text = "app_a,app_b,alone_a_s,alone_b_s,corun_a_s,corun_b_s\na,b,2,4,3,5\nc,d,,4,3,5\ne,f,0,4,3,5\n"
    _, tables = run(tmp_path, {"corun_pairs.csv": text})
    assert tables["corun_pairs"].select("slowdown_a", "slowdown_b", "alone_a_s").row(0) == (1.5, 1.25, 2.0)
    assert tables["rejected_rows"].height == 2
    assert (3, "slowdown_missing") in rejected(tables)


def test_one_decimal_comma_shows_the_mark_of_the_whole_file(tmp_path):
    # Row 2 alone would be read as 1.53 GFLOP/s; its point parts thousands.
    text = 'kernel,gflops,memory_gbps\na,1.530,40\nb,"410,5",20\n'
    summary, tables = run(tmp_path, {"kernels.csv": text})
    assert summary.code == 0
    assert tables["kernels"]["gflops"].to_list() == [1530.0, 410.5]


def test_a_table_that_mixes_decimal_marks_is_refused(tmp_path):
    text = 'kernel,gflops,memory_gbps\na,1.5,40\nb,"410,5",20\n'
    _, tables = run(tmp_path, {"kernels.csv": text})
    assert rejected(tables) == [(3, "decimal_marks_mixed")]


def test_an_occupancy_above_one_is_rejected(tmp_path):
    text = "kernel,gflops,memory_gbps,occupancy\na,100,50,37.2\nb,100,50,1\n"
    _, tables = run(tmp_path, {"kernels.csv": text})
    assert tables["rejected_rows"].select("row", "reason", "detail").rows() == [
        (2, "occupancy_too_large", "occupancy = 37.2, at most 1 would be right")
    ]
    assert tables["kernels"]["kernel"].to_list() == ["b"]


RATED = "kernel,gflops,memory_gbps\na,100,50\n"
PEAKS = ("gpu", "sms", "sms_origin", "peak_gflops", "peak_gflops_origin", "bandwidth_gbps", "bandwidth_gbps_origin")


@pytest.mark.parametrize(
    ("settings", "card"),
    [
        (None, ("TITAN Xp", 30, "assumed", 12150.0, "assumed", 547.6, "assumed")),
        ("sms: 108\n", ("A100-SXM4-40GB", 108, "stated", 19500.0, "assumed", 1555.0, "assumed")),
        ("sms: 7\n", ("TITAN Xp", 7, "stated", 12150.0, "assumed", 547.6, "assumed")),
        (
            "gpu: nvidia a100-sxm4-80gb\n",
            ("A100-SXM4-80GB", 108, "looked_up", 19500.0, "looked_up", 2039.0, "looked_up"),
        ),
        ("gpu: L4\nbandwidth_gbps: 250.0\n", ("L4", 58, "looked_up", 30300.0, "looked_up", 250.0, "stated")),
        (
            "peak_gflops: 9000.0\nbandwidth_gbps: 900.0\nsms: 50\n",
            (None, 50, "stated", 9000.0, "stated", 900.0, "stated"),
        ),
    ],
)
def test_the_card_is_stated_looked_up_or_assumed(settings, card, tmp_path):
    summary, tables = run(tmp_path, {"kernels.csv": RATED}, settings)
    assert tables["gpus"].select(PEAKS).row(0) == card
    assumed = "assumed" in (card[4], card[6])
    assert summary.traces["note"].item().startswith("GPU assumed: " if assumed else "GPU: ")


def test_a_card_that_curves_show_has_no_peaks(tmp_path):
    files = {"kernels.csv": RATED, "sm_curve.csv": "app,sms,time_s\na,1,4\na,2,2\n"}
    _, tables = run(tmp_path / "1", files, "sms: 30\n")
    assert tables["gpus"].select(PEAKS).row(0) == (None, 30, "stated", None, "measured", None, "measured")
    _, tables = run(tmp_path / "2", files, "gpu: TITAN Xp\n")
    assert tables["gpus"]["peak_gflops"].item() == 12150


def test_a_card_that_nobody_knows_is_refused_with_those_of_its_name(tmp_path):
    with pytest.raises(AssertionError):
        run(tmp_path, {"kernels.csv": RATED}, "gpu: A100\n")
    refused = pl.read_parquet(tmp_path / "out" / "rejected_rows.parquet")["detail"].item()
    assert "unknown GPU 'A100'; did you mean A100-SXM4-40GB, A100-SXM4-80GB, A100-PCIE-40GB, A100 80GB PCIe?" in refused


def test_kernels_faster_than_their_card_are_remarked_on(tmp_path):
    summary, _ = run(tmp_path, {"kernels.csv": RATED + "b,1e9,50\n"})
    assert "1 of 2 kernels compute faster than its peak without tensor cores" in summary.traces["note"].item()


def test_every_card_of_the_table_has_a_source_and_is_found_as_printed():
    for name, gpu in gpus.known().items():
        assert gpus.find(f"NVIDIA {name} (0)") is gpu
        assert gpu.sms > 0 < gpu.peak_gflops
        assert 200 <= gpu.bandwidth_gbps < 10_000
        assert gpu.source.startswith("NVIDIA ")


def test_pairs_as_rates_on_two_cards_and_pairs_that_do_not_fit(tmp_path):
    text = (
        "app_a,app_b,gpu,fits,slowdown_a,slowdown_b,alone_a_per_s,alone_b_per_s,corun_a_per_s,corun_b_per_s\n"
        "a,b,x,,,,3,4,1.5,1\n"
        "a,c,x,0,,,,,,\n"
        "b,c,y,,,,4,5,0,0\n"
        "a,d,y,1,,,3,4,,\n"
    )
    _, tables = run(tmp_path, {"corun_pairs.csv": text})
    pairs = tables["corun_pairs"].select("gpu", "app_a", "app_b", "fits", "slowdown_a", "slowdown_b", "corun_a_per_s")
    assert pairs.rows() == [
        ("x", "a", "b", None, 2.0, 4.0, 1.5),
        ("x", "a", "c", False, None, None, None),
        ("y", "b", "c", False, None, None, None),
    ]
    assert tables["rejected_rows"].select("row", "reason").rows() == [(5, "slowdown_missing")]


@pytest.mark.parametrize("times", ["", ",time_s"])
def test_of_launches_without_times_the_first_counts_and_it_is_said(tmp_path, times):
    text = f"kernel,gflops,memory_gbps{times}\n" + "".join(f"k,{n}00,50{times and ','}\n" for n in (1, 2, 3))
    _, tables = run(tmp_path, {"kernels.csv": text})
    assert rejected(tables) == [(3, "duplicate_kernel"), (4, "duplicate_kernel")]
    assert "With the time of each launch (time_s) all would" in tables["rejected_rows"]["detail"][0]
    assert tables["kernels"]["gflops"].to_list() == [100.0]


def test_launches_of_a_kernel_become_one_row_weighted_by_their_times(tmp_path):
    rows = ["conv,100,10,1,2", "conv,400,,3,4", "relu,5,7,1,1", "conv,1,1,0,1", "conv,-1,1,1,1"]
    text = "\n".join(["kernel,gflops,memory_gbps,time_s,blocks", *rows, ""])
    _, tables = run(tmp_path, {"kernels.csv": text})
    kernels = tables["kernels"].select("kernel", "gflops", "memory_gbps", "time_s", "blocks", "launches")
    assert kernels.rows() == [("conv", 325.0, 10.0, 4.0, 3.0, 2), ("relu", 5.0, 7.0, 1.0, 1.0, None)]
    assert sorted(rejected(tables)) == [(5, "time_s_not_positive"), (6, "gflops_too_small")]
    assert tallies(tables)["left_out", "launches_merged"] == 1


def test_speeds_mapped_as_slowdowns_are_warned_of(tmp_path):
    text = "app_a,app_b,slowdown_a,slowdown_b\na,b,0.6,0.7\na,c,0.9,0.5\nb,c,1.2,0.9\n"
    _, tables = run(tmp_path / "speeds", {"corun_pairs.csv": text})
    assert "In 2 of 3 pairs both slowdowns are below 1, so they look like speeds." in tables["traces"]["warnings"][0]
    text = "app_a,app_b,slowdown_a,slowdown_b\na,b,1.6,1.7\na,c,0.9,0.5\n"
    _, tables = run(tmp_path / "slowdowns", {"corun_pairs.csv": text})
    assert tables["traces"]["warnings"][0] is None


def test_speeds_relative_to_running_alone_are_read(tmp_path):
    header = "app_a,app_b,corun_a_per_s,corun_b_per_s"
    _, tables = run(tmp_path, {"table.csv": f"{header}\na,b,0.5,0.8\na,c,0,0\n"})
    assert tables["corun_pairs"].select("slowdown_a", "slowdown_b", "fits").rows() == [
        (2.0, 1.25, None),
        (None, None, False),
    ]
    assert "shares of the speed alone" in tables["traces"]["note"][0]


def test_throughputs_together_and_alone_are_read(tmp_path):
    header = "app_a,app_b,alone_a_per_s,alone_b_per_s,corun_a_per_s,corun_b_per_s"
    _, tables = run(tmp_path / "both", {"table.csv": f"{header}\na,b,100,30,50,24\n"})
    assert tables["corun_pairs"].select("slowdown_a", "slowdown_b").rows() == [(2.0, 1.25)]
    # Rates alone are not known, and these are no shares.
    _, tables = run(tmp_path / "together", {"table.csv": "app_a,app_b,corun_a_per_s,corun_b_per_s\na,b,50,24\n"})
    assert rejected(tables) == [(2, "slowdown_missing")]
