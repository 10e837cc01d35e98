"""Curves against SMs as tables; bad curves, and the real ones of an A100."""

import polars as pl
import pytest

from pipeline.stages import fit as fit_drop
from pipeline.stages import ingest
from pipeline.studies.gpu_sharing.workload.curves import CurveSets

CURVE = "app,sms,time_s\na,1,10\na,2,6\na,4,4\n"


def run(folder, files, trace_yaml=None):
    drop = folder / "demo"
    drop.mkdir(parents=True)
    for name, content in files.items():
        (drop / name).write_text(content)
    if trace_yaml:
        (drop / "trace.yaml").write_text(trace_yaml)
    summary = ingest.ingest(drop, folder / "out")
    assert summary.format == "sm_curve"
    return summary, {path.stem: pl.read_parquet(path) for path in (folder / "out").glob("*.parquet")}


def rejected(tables):
    return tables["rejected_rows"].select("row", "reason").rows()


def tallies(tables):
    return {(row["fate"], row["reason"]): row["rows"] for row in tables["tallies"].iter_rows(named=True)}


def test_curves_of_times_and_of_rates(tmp_path):
    _, result = run(tmp_path, {"sm_curve.csv": CURVE})
    assert result["sm_curves"].select("app", "sms", "time_s", "ipc", "origin").row(0) == ("a", 1, 10.0, None, "given")
    _, result = run(tmp_path / "2", {"sm_curve.csv": "app,sms,ipc,beside\na,1,1,\na,2,2,\na,1,0.5,b\na,2,1.5,b\n"})
    assert result["sm_curves"].select("beside", "ipc").rows() == [(None, 1.0), (None, 2.0), ("b", 0.5), ("b", 1.5)]


def test_one_point_is_no_curve(tmp_path):
    _, result = run(tmp_path, {"sm_curve.csv": CURVE + "b,4,1\n"})
    assert rejected(result) == [(5, "one_measurement")]
    assert result["sm_curves"]["app"].unique().to_list() == ["a"]
    summary, _ = run(tmp_path / "2", {"sm_curve.csv": "app,sms,time_s\nb,4,1\n"})
    assert summary.code == 2


def test_a_falling_speed_is_kept_and_remarked_on(tmp_path):
    _, result = run(tmp_path, {"sm_curve.csv": CURVE + "a,8,4.5\n"})
    assert result["sm_curves"].height == 4
    assert tallies(result)["observed", "speed_falls"] == 1
    fit_drop.fit(tmp_path / "out", tmp_path / "fit")
    assert pl.read_parquet(tmp_path / "fit" / "sm_fits.parquet")["monotone"].to_list() == [False]


def test_pairs_beside_curves_are_read_and_those_of_other_applications_remarked_on(tmp_path):
    pairs = "app_a,app_b,slowdown_a,slowdown_b\na,a,1.5,1.4\na,c,2,3\n"
    _, result = run(tmp_path, {"sm_curve.csv": CURVE, "corun_pairs.csv": pairs})
    assert result["corun_pairs"].select("app_a", "app_b", "slowdown_a").rows() == [("a", "a", 1.5), ("a", "c", 2.0)]
    assert tallies(result)["observed", "curve_absent"] == 1


def test_pairs_that_cannot_be_read_leave_the_curves(tmp_path):
    summary, result = run(tmp_path, {"sm_curve.csv": CURVE, "corun_pairs.csv": "app_a,app_b\na,a\n"})
    assert rejected(result) == [(2, "slowdown_missing")]
    assert result["sm_curves"].height == 3
    assert summary.code == 1


def test_a_point_that_stands_twice_counts_once(tmp_path):
    _, result = run(tmp_path, {"sm_curve.csv": CURVE + "a,4,5\n"})
    assert rejected(result) == [(5, "duplicate_point")]
    assert result["sm_curves"].filter(pl.col("sms") == 4)["time_s"].to_list() == [4.0]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("a,8,-1", "time_s_not_positive"), ("a,8,fast", "time_s_unreadable"), ("a,8,50%", "time_s_unreadable"),
        ("a,0,1", "sms_too_small"), ("a,2.5,1", "sms_not_an_integer"), ("a,,1", "sms_missing"),
        ("a,8,", "neither_time_nor_rate"), ("a,8,inf", "time_s_infinite"), ("a,100,1", "larger_than_machine"),
    ],
)  # fmt: skip
def test_bad_points(tmp_path, row, reason):
    _, result = run(tmp_path, {"sm_curve.csv": f"{CURVE}{row}\n"}, "sms: 64\n")
    assert rejected(result) == [(5, reason)]
    assert result["sm_curves"].height == 3


def test_columns_are_mapped_with_units_and_apps_made_of_several(tmp_path):
    text = "model,batch,slice,ms\nbert,2,1,10\nbert,2,2,6\n"
    yaml = "columns: {app: [model, batch], sms: slice, time_s: {from: ms, unit: ms}}\naliases: {bert/2: bert}\n"
    _, result = run(tmp_path, {"sm_curve.csv": text}, yaml)
    assert result["sm_curves"].select("app", "time_s").rows() == [("bert", 0.01), ("bert", 0.006)]


@pytest.mark.real
def test_miso_curves_of_an_a100(trace_data, tmp_path):
    text = (trace_data / "gpu" / "miso_mig_iteration_times.csv").read_text()
    summary, result = run(tmp_path, {"sm_curve.csv": text}, "columns: {app: [model, batch], time_s: iter_s_median}\n")
    assert summary.code == 0
    assert result["sm_curves"].height == text.count("\n") - 1
    fit_drop.fit(tmp_path / "out", tmp_path / "fit")
    fits = pl.read_parquet(tmp_path / "fit" / "sm_fits.parquet")
    assert fits.height == 32
    # A model that needs more work a batch has the larger parallel part: four batches each, in their order.
    for model, batches in (("gnn", (64, 128, 256, 512)), ("transformer", (16, 32, 64, 128))):
        work = [fits.filter(pl.col("app") == f"{model}/{batch}")["a_s"].item() for batch in batches]
        assert work == sorted(work)


PERCENT = "model,mps_pct,time_s\nbert,10,5\nbert,50,2\nbert,100,1\n"


def test_percentages_are_not_taken_for_sms(tmp_path):
    summary, result = run(tmp_path, {"sm_curve.csv": PERCENT}, "columns: {app: model, sms: mps_pct}\nsms: 108\n")
    assert summary.code == 2
    assert result["rejected_rows"].select("file", "reason", "detail").row(0) == (
        "sm_curve.csv",
        "percent_of_sms",
        'mps_pct are percentages by their name, not SMs; state `columns: {sms: {from: mps_pct, unit: "%"}}` and `sms:` '
        "of the GPU, or `unit: SMs` where they are numbers of SMs",
    )
    named = PERCENT.replace("mps_pct", "sms")
    for settings in ("sms: 108\n", "gpu: GeForce GTX 1080 Ti\n", ""):
        place = tmp_path / str(len(settings))
        summary, result = run(place, {"sm_curve.csv": named}, f"columns: {{app: model}}\n{settings}")
        assert result["rejected_rows"]["detail"][0].startswith("sms goes up to 100 in steps of 5 on a GPU ")
    own = "columns: {app: model, sms: {from: sms, unit: SMs}}\nsms: 108\n"
    _, result = run(tmp_path / "own", {"sm_curve.csv": named}, own)
    assert result["sm_curves"]["sms"].to_list() == [10, 50, 100]


def test_percentages_with_their_unit_are_shares_of_the_sms(tmp_path):
    settings = "columns: {app: model, sms: {from: mps_pct, unit: '%'}}\nsms: 108\n"
    summary, result = run(tmp_path, {"sm_curve.csv": PERCENT}, settings)
    # 10.8 of 108 SMs are 11.
    assert result["sm_curves"]["sms"].to_list() == [11, 54, 108]
    assert summary.traces["note"].item() == "mps_pct is a percentage of 108 SMs, rounded to whole ones."
    with pytest.raises(AssertionError):
        run(tmp_path / "2", {"sm_curve.csv": PERCENT}, settings.replace("sms: 108\n", ""))
    refused = pl.read_parquet(tmp_path / "2" / "out" / "rejected_rows.parquet")["detail"][0]
    assert refused == "trace.yaml: columns: sms in % are a share of the GPU's SMs; state `sms:` or `gpu:`, too"


@pytest.mark.parametrize("column", ["ipc", "time_s"])
def test_a_zero_is_rejected_and_leaves_the_other_points(column, tmp_path):
    text = f"app,sms,{column}\na,1,10\na,2,0\na,4,4\nb,1,0\nb,2,0\nc,1,0\nc,2,5\n"
    _, result = run(tmp_path, {"sm_curve.csv": text})
    zero = f"{column}_not_positive"
    assert sorted(rejected(result)) == [(3, zero), (5, zero), (6, zero), (7, zero), (8, "one_measurement")]
    assert result["sm_curves"].select("app", "sms").rows() == [("a", 1), ("a", 4)]
    assert (
        f"app b on 1 SMs has {column} = 0.0; more than 0 would be right" in result["rejected_rows"]["detail"].to_list()
    )


SLICES = "app,sms,time_s\na,14,10\na,28,6\na,70,4\na,98,3\n"


def test_points_of_slices_say_how_many_sevenths_they_are(tmp_path):
    _, result = run(tmp_path, {"sm_curve.csv": SLICES}, "sizes: mig\n")
    assert result["sm_curves"].select("sms", "mig_slices").rows() == [(14, 1), (28, 2), (98, 7)]
    assert rejected(result) == [(4, "no_mig_slice")]
    assert "14, 28, 42, 56, 98" in result["rejected_rows"]["detail"][0]
    _, result = run(tmp_path / "2", {"sm_curve.csv": SLICES})
    assert result["sm_curves"]["mig_slices"].to_list() == [None] * 4
    _, result = run(tmp_path / "3", {"sm_curve.csv": "app,sms,time_s\na,1,9\na,4,2\n"}, "sizes: mig\nsms: 7\n")
    assert result["sm_curves"]["mig_slices"].to_list() == [1, 4]


def test_slices_may_stand_by_their_profiles(tmp_path):
    table = "app,sms,time_s\na,1g.5gb,9\na,MIG 2g.10gb,5\na,1g.5gb+me,8\na,7g.40gb,2\na,half,2\n"
    _, result = run(tmp_path / "1", {"sm_curve.csv": table}, "sizes: mig\n")
    assert result["sm_curves"]["mig_slices"].to_list() == [1, 2, 7]
    assert rejected(result) == [(6, "sms_unreadable"), (4, "duplicate_point")]
    _, result = run(tmp_path / "2", {"sm_curve.csv": table})
    assert rejected(result) == [(row, "sms_unreadable") for row in range(2, 7)]


def test_slices_of_a_gpu_without_sevenths_are_refused(tmp_path):
    summary, result = run(tmp_path, {"sm_curve.csv": "app,sms,time_s\na,16,9\na,132,2\n"}, "sizes: mig\n")
    assert summary.code == 2
    assert rejected(result) == [(None, "no_sevenths")]


RATES = "app,sms,throughput\na,1,100\na,2,200\na,4,250\nb,1,2\nb,2,0\nb,4,8\n"


def test_throughputs_are_times_of_one_unit_of_work_and_none_is_no_throughput(tmp_path):
    _, result = run(tmp_path, {"sm_curve.csv": RATES}, "columns: {throughput_per_s: throughput}\n")
    assert result["sm_curves"].select("app", "sms", "time_s", "throughput_per_s", "ipc").rows() == [
        ("a", 1, 0.01, 100, None), ("a", 2, 0.005, 200, None), ("a", 4, 0.004, 250, None),
        ("b", 1, 0.5, 2, None), ("b", 4, 0.125, 8, None),
    ]  # fmt: skip
    assert rejected(result) == [(6, "throughput_per_s_not_positive")]
    # What is shared is the share of each application's own speed, whatever its unit.
    rates = CurveSets(0, {"traces": result["traces"], "sm_curves": result["sm_curves"]}).table(["demo"])
    assert rates["ipc"].to_list() == pytest.approx([0.4, 0.8, 1, 0.25, 1])


def test_a_column_mapped_to_throughput_is_taken_as_one(tmp_path):
    files = {"curves.csv": RATES.replace("throughput", "throughput (per s)")}
    _, result = run(tmp_path, files, 'columns: {throughput_per_s: "throughput (per s)"}')
    assert result["sm_curves"]["throughput_per_s"].to_list() == [100, 200, 250, 2, 8]
    assert result["sm_curves"]["ipc"].null_count() == 5
