"""Curves of PIM applications: what makes one, which table it has, and which the studies replay."""

import polars as pl
import pytest

from pipeline import tables
from pipeline.fit import pim

RUN = {"trace_id": "t", "app": "VA", "run": 0, "line": 1, "dpus_per_rank": 64.0, "tasklets": 16, "block_size": 10,
       "outputs": "ok", "verified": True}  # fmt: skip


def runs(times: dict[int, float], **common) -> list[dict]:
    """Runs of one application at rank counts, all of their time in the kernel."""
    return [
        RUN | {"log": f"{common}{ranks}", "dpus": 64 * ranks, "ranks": ranks, "kernel_s": s, "time_s": s} | common
        for ranks, s in times.items()
    ]


def fitted(rows: list[dict], ranks: int | None) -> dict[str, pl.DataFrame]:
    traces = pl.DataFrame({"trace_id": ["t"], "ranks": [ranks]}, schema={"trace_id": pl.String, "ranks": pl.Int64})
    frame = pl.DataFrame(rows, schema=tables.polars_schema(tables.PimRun))
    return pim.fit(frame, tables.empty(tables.PerfPoint), traces)


@pytest.mark.parametrize("ranks", [None, 8])
def test_one_measurement_is_no_curve_says_so_and_is_used_nowhere(ranks):
    found = fitted(runs({1: 4.0}), ranks)
    (curve,) = found["pim_curves"].to_dicts()
    assert (curve["status"], curve["chosen"], curve["method"], curve["best_ranks"]) == (
        "one_measurement", False, None, None,
    )  # fmt: skip
    assert "Measured on one rank count only: no curve, and used nowhere." in curve["note"]
    assert all(found[name].is_empty() for name in ("perf_tables", "pim_models", "pim_predictions"))


def test_on_a_machine_of_one_rank_one_measurement_tells_all():
    found = fitted(runs({1: 4.0}), 1)
    assert found["pim_curves"]["status"].to_list() == ["determined"]
    assert found["perf_tables"].select("ranks", "time_s", "is_best").rows() == [(1, 4.0, True)]


def test_excluded_runs_stand_on_no_curve():
    rows = runs({1: 8.0, 2: 4.0, 4: 2.0}) + runs({8: 0.1}, excluded="check_failed", verified=False)
    (curve,) = fitted(rows, 8)["pim_curves"].to_dicts()
    assert (curve["points"], curve["most_ranks"]) == (3, 4)


def test_repetitions_are_averaged_and_ranks_of_60_and_64_dpus_share_no_curve():
    sixties = runs({1: 5.0, 8: 1.0}, dpus_per_rank=60.0)
    rows = runs({1: 8.0, 8: 1.0}) + runs({1: 6.0}, run=1) + sixties
    found = fitted(rows, 8)
    by_dpus = found["pim_curves"].sort("dpus_per_rank")
    assert by_dpus["dpus_per_rank"].to_list() == [60.0, 64.0]
    assert by_dpus["points"].to_list() == [2, 2]
    of_64 = found["perf_tables"].filter(pl.col("curve").str.contains("64 DPUs/rank") & (pl.col("ranks") == 1))
    assert of_64["time_s"].to_list() == [7.0]


def test_times_beyond_the_measurements_are_told_from_those_between():
    found = fitted(runs({2: 4.0, 4: 2.0}), 8)["perf_tables"]
    source = dict(found.select("ranks", "source").iter_rows())
    # Profile points of 8 ranks are 1, 6 and 8; the others are interpolated from them.
    assert {source[1], source[6], source[8]} == {"extrapolated"}


def test_of_several_curves_the_one_with_the_most_points_is_replayed():
    found = fitted(runs({1: 8.0, 8: 1.0}, tasklets=16) + runs({1: 9.0, 4: 3.0, 8: 2.0}, tasklets=8), 8)
    chosen = found["pim_curves"].filter("chosen")
    assert chosen["tasklets"].to_list() == [8]
    assert set(found["perf_tables"].filter("chosen")["curve"]) == set(chosen["curve"])
