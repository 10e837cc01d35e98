"""Curves of PIM applications: what makes one, which table it has, and which the studies replay."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline import tables
from pipeline.fit import perf_table, pim
from pipeline.tables.profiling import left_out_of_curves

RUN = {"trace": "t", "app": "VA", "run": 0, "line": 1, "dpus_per_rank": 64.0, "tasklets": 16, "block_size": 10,
       "outputs": "ok", "verified": True}  # fmt: skip


def runs(times: dict[int, float], **common) -> list[dict]:
    """Runs of one application at rank counts, all of their time in the kernel."""
    return [
        RUN | {"log": f"{common}{ranks}", "dpus": 64 * ranks, "ranks": ranks, "kernel_s": s, "time_s": s} | common
        for ranks, s in times.items()
    ]


def fitted(rows: list[dict], ranks: int | None) -> dict[str, pl.DataFrame]:
    traces = pl.DataFrame({"trace": ["t"], "ranks": [ranks]}, schema={"trace": pl.String, "ranks": pl.Int64})
    frame = pl.DataFrame(rows, schema=tables.polars_schema(tables.PimRun))
    return pim.fit(frame, tables.empty(tables.PerfPoint), traces)


@pytest.mark.parametrize("ranks", [None, 8])
def test_one_measurement_is_no_curve_says_so_and_is_used_nowhere(ranks):
    fit_tables = fitted(runs({1: 4.0}), ranks)
    (curve,) = fit_tables["pim_curves"].to_dicts()
    assert (curve["status"], curve["chosen"], curve["method"], curve["best_ranks"]) == (
        "one_measurement", False, None, None,
    )  # fmt: skip
    assert "Measured on one rank count only: no curve, and used nowhere." in curve["note"]
    assert all(fit_tables[name].is_empty() for name in ("perf_tables", "pim_models", "pim_predictions"))


def test_on_a_machine_of_one_rank_one_measurement_tells_all():
    fit_tables = fitted(runs({1: 4.0}), 1)
    assert fit_tables["pim_curves"]["status"].to_list() == ["determined"]
    assert fit_tables["perf_tables"].select("ranks", "time_s", "is_best").rows() == [(1, 4.0, True)]


def test_excluded_runs_stand_on_no_curve():
    rows = runs({1: 8.0, 2: 4.0, 4: 2.0}) + runs({8: 0.1}, excluded="check_failed", verified=False)
    (curve,) = fitted(rows, 8)["pim_curves"].to_dicts()
    assert (curve["points"], curve["most_ranks"]) == (3, 4)


def test_repetitions_are_averaged_and_ranks_of_60_and_64_dpus_share_no_curve():
    sixties = runs({1: 5.0, 8: 1.0}, dpus_per_rank=60.0)
    rows = runs({1: 8.0, 8: 1.0}) + runs({1: 6.0}, run=1) + sixties
    fit_tables = fitted(rows, 8)
    by_dpus = fit_tables["pim_curves"].sort("dpus_per_rank")
    assert by_dpus["dpus_per_rank"].to_list() == [60.0, 64.0]
    assert by_dpus["points"].to_list() == [2, 2]
    of_64 = fit_tables["perf_tables"].filter(pl.col("curve").str.contains("64 DPUs/rank") & (pl.col("ranks") == 1))
    assert of_64["time_s"].to_list() == [7.0]


def test_times_beyond_the_measurements_are_told_from_those_between():
    perf_points = fitted(runs({2: 4.0, 4: 2.0}), 8)["perf_tables"]
    source = dict(perf_points.select("ranks", "source").iter_rows())
    # Profile points of 8 ranks are 1, 6 and 8; the others are interpolated from them.
    assert {source[1], source[6], source[8]} == {"extrapolated"}


def test_of_several_curves_the_one_with_the_most_points_is_replayed():
    fit_tables = fitted(runs({1: 8.0, 8: 1.0}, tasklets=16) + runs({1: 9.0, 4: 3.0, 8: 2.0}, tasklets=8), 8)
    chosen = fit_tables["pim_curves"].filter("chosen")
    assert chosen["tasklets"].to_list() == [8]
    assert set(fit_tables["perf_tables"].filter("chosen")["curve"]) == set(chosen["curve"])


def given_points(times: dict[int, float], ranks: int | None, **columns) -> dict[str, pl.DataFrame]:
    """Fits of one application whose times are given as a table."""
    rows = [{"trace": "t", "app": "KM", "ranks": r, "time_s": s} | columns for r, s in times.items()]
    traces = pl.DataFrame({"trace": ["t"], "ranks": [ranks]}, schema={"trace": pl.String, "ranks": pl.Int64})
    points = pl.DataFrame(rows, schema=tables.polars_schema(tables.PerfPoint))
    return pim.fit(tables.empty(tables.PimRun), points, traces)


def test_times_off_the_profile_points_stay_as_they_were_measured_whatever_the_fit_says():
    """A BFS whose time grows with the ranks, which no term of the kernel does: the fit misses by a factor of two."""
    measured = {8: 2.4239, 16: 4.8327, 32: 7.8012}
    fit_tables = fitted(runs(measured, cpu_dpu_s=0.0, dpu_cpu_s=0.0), None)
    table = fit_tables["perf_tables"].select("ranks", "time_s", "source")
    assert table.filter(source="measured").drop("source").rows() == list(measured.items())
    assert set(table.filter(pl.col("ranks").is_between(9, 31) & (pl.col("ranks") != 16))["source"]) == {"interpolated"}
    assert set(table.filter(pl.col("ranks") < 8)["source"]) == {"extrapolated"}
    # At 12 ranks the speed, not the time, is half way.
    assert table.filter(ranks=12)["time_s"][0] == pytest.approx(2 / (1 / 2.4239 + 1 / 4.8327))
    (curve,) = fit_tables["pim_curves"].to_dicts()
    assert (curve["method"], curve["least_best_ranks"], curve["most_best_ranks"]) == ("model", 1, 8)
    assert "The fit misses a measured time by a factor of 2.1" in curve["note"]


def test_a_fit_that_misses_leaves_open_what_lies_between_two_points_too():
    """Twice as fast on 16 ranks as the model has it between 8 and 32: how fast 9 to 15 are nobody knows."""
    fit_tables = fitted(runs({1: 32.0, 8: 4.2, 16: 1.5, 32: 2.0}), 32)
    (curve,) = fit_tables["pim_curves"].to_dicts()
    assert curve["method"] == "points" and curve["relative_residual"] > 0.01
    assert (curve["best_ranks"], curve["most_best_ranks"]) == (16, 16)
    assert 8 < curve["least_best_ranks"] < 15


def test_the_full_machine_counts_though_some_of_its_dpus_are_faulty():
    rows = runs({1: 32.0, 8: 4.2, 16: 2.3}) + runs({32: 2.0}, dpus_per_rank=63.75, dpus=2040)
    fit_tables = fitted(rows, None)
    (curve,) = fit_tables["pim_curves"].to_dicts()
    assert (curve["points"], curve["most_ranks"], curve["most_dpus"], curve["max_ranks"]) == (4, 32, 2040, 32)
    assert (curve["dpus_per_rank"], curve["method"]) == (64.0, "points")
    assert "2040 DPUs are 32 ranks" in curve["note"]
    assert fit_tables["perf_tables"].filter(ranks=32).select("time_s", "source").row(0) == (2.0, "measured")
    assert "extrapolated" not in set(fit_tables["perf_tables"]["source"])


def test_a_table_off_the_profile_points_makes_a_curve():
    measured = {4: 109.914987, 8: 55.2687528, 16: 27.748644, 32: 17.4909922}
    fit_tables = given_points(measured, 32)
    table = fit_tables["perf_tables"]
    assert table.filter(source="measured").select("ranks", "time_s").rows() == list(measured.items())
    (curve,) = fit_tables["pim_curves"].to_dicts()
    # Speeds on the line from 1/27.7 at 16 ranks to 1/17.5 at 32: the first above 95 % of the last.
    assert curve["best_ranks"] == next(
        r for r in range(17, 33) if 1 / 27.748644 + (r - 16) / 16 * (1 / 17.4909922 - 1 / 27.748644) > 0.95 / 17.4909922
    )
    assert curve["least_best_ranks"] <= curve["best_ranks"] <= curve["most_best_ranks"]


def test_the_users_best_ranks_wins_and_the_note_says_what_the_times_say():
    fit_tables = given_points({1: 8.0, 6: 1.6, 8: 1.5}, 8, best_ranks=2)
    (curve,) = fit_tables["pim_curves"].to_dicts()
    assert curve["best_ranks"] == 2
    assert curve["note"] == "best_ranks 2 is the user's; by these times Algorithm 1 gives 7."
    assert curve["least_best_ranks"] is None


def test_counts_of_a_machine_whose_unit_is_a_dpu_are_dpus():
    rows = [row | {"dpus": row["ranks"], "dpus_per_rank": 1.0, "unit": "dpu"} for row in runs({1: 8.0, 16: 1.0})]
    (curve,) = fitted(rows, 64)["pim_curves"].to_dicts()
    assert (curve["unit"], curve["max_ranks"], curve["most_ranks"], curve["most_dpus"]) == ("dpu", 64, 16, 16)
    assert "ranks" not in curve["curve"] and curve["note"].endswith("their folder.")


MACHINES = st.sampled_from([None, 1, 6, 8, 12, 40])
TIMES = st.floats(0.01, 100.0)
DPUS = st.sampled_from([1, 16, 60, 63, 64, 126, 128, 190, 256, 320, 383, 384, 480, 512, 510, 640, 2040])


@pytest.mark.slow
@given(
    measured=st.dictionaries(DPUS, TIMES, min_size=1, max_size=6),
    bad=st.lists(st.sampled_from(["check_failed", "weak_scaling"]), max_size=1),
    ranks=MACHINES,
)
@settings(max_examples=60, deadline=None)
def test_what_was_measured_comes_back_unaltered_and_every_run_is_accounted_for(measured, bad, ranks):
    rows = [
        RUN | {"log": f"dpus{dpus}", "dpus": dpus, "ranks": -(-dpus // 64), "dpus_per_rank": dpus / -(-dpus // 64),
               "unit": "rank", "kernel_s": s, "time_s": s}
        for dpus, s in measured.items()
    ]  # fmt: skip
    rows += [rows[0] | {"log": f"bad{k}", "excluded": why} for k, why in enumerate(bad)]
    frame = pl.DataFrame(rows, schema=tables.polars_schema(tables.PimRun))
    frame = frame.with_columns(left_out_of_curves(frame, ranks))
    traces = pl.DataFrame({"trace": ["t"], "ranks": [ranks]}, schema={"trace": pl.String, "ranks": pl.Int64})
    fit_tables = pim.fit(frame, tables.empty(tables.PerfPoint), traces)
    table, curves = fit_tables["perf_tables"], fit_tables["pim_curves"]
    # A run is used where its curve has a table, and nowhere else.
    used = frame.filter(pl.col("excluded").is_null())
    assert used.height == curves.filter(pl.col("method").is_not_null())["runs"].sum()
    for (per_rank,), group_runs in used.with_columns(
        whole=pl.when(pl.col("dpus_per_rank") > 60).then(64.0).otherwise("dpus_per_rank")
    ).group_by("whole"):
        (curve,) = curves.filter(dpus_per_rank=per_rank).to_dicts()
        of_curve = table.filter(curve=curve["curve"]).sort("ranks")
        means = group_runs.group_by("ranks").agg(pl.col("time_s").mean()).sort("ranks")
        assert of_curve.filter(source="measured").select("ranks", "time_s").equals(means)
        assert of_curve["ranks"].to_list() == list(range(1, curve["max_ranks"] + 1))
        times = of_curve["time_s"].to_numpy()
        assert curve["best_ranks"] == perf_table.best_ranks(times[None, :])[0]
        if curve["method"] in ("points", "model"):
            assert curve["least_best_ranks"] <= curve["best_ranks"] <= curve["most_best_ranks"]
        low, high = means["ranks"].min(), means["ranks"].max()
        expected = np.where((of_curve["ranks"] < low) | (of_curve["ranks"] > high), "extrapolated", "interpolated")
        others = of_curve["source"].to_numpy() != "measured"
        assert (of_curve["source"].to_numpy()[others] == expected[others]).all()
