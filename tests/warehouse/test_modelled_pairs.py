"""Modelled gains beside measured ones, compared with the tables behind them and the jackknife of the best pairs."""

import numpy as np
import pytest
from scipy import stats

from pipeline.fit.jackknife import jackknife


def test_each_measured_pair_stands_beside_its_replays(ask):
    rows = ask("FROM modelled_and_measured_pairs WHERE trace = 'nvprof_like'")
    runs = ask("FROM corun_pair WHERE trace = 'nvprof_like'")
    profiled = set(ask("SELECT app FROM gpu_app WHERE trace = 'nvprof_like' AND gflops IS NOT NULL")["app"])
    measured: dict[tuple, list] = {}
    for run in runs.to_dicts():
        shares = {run["app_a"]: 1 / run["slowdown_a"], run["app_b"]: 1 / run["slowdown_b"]}
        if set(shares) <= profiled:
            measured.setdefault(tuple(sorted(shares)), []).append(sum(shares.values()) - 1)
    assert set(rows["scheduler"]) == {"cuda", "mps", "slate", "optimal"}
    for (_,), of in rows.group_by("scheduler"):
        assert {(row["app_a"], row["app_b"]) for row in of.to_dicts()} == set(measured)
        for row in of.to_dicts():
            pair_gains = measured[row["app_a"], row["app_b"]]
            assert row["runs"] == len(pair_gains)
            assert row["measured_gain"] == pytest.approx(np.mean(pair_gains))
            assert row["difference"] == pytest.approx(row["modelled_gain"] - row["measured_gain"])
            others = [np.mean(gains) for pair, gains in measured.items() if not {row["app_a"], row["app_b"]} & {*pair}]
            assert row["null_gain"] == pytest.approx(np.mean(others))
            for side in "ab":
                assert row[f"modelled_slowdown_{side}"] >= 1


def test_the_modelled_gain_is_the_throughput_of_the_replay(ask):
    rows = ask("""
        SELECT modelled_gain, stp
        FROM modelled_and_measured_pairs AS pair
        JOIN gpu_corun_result AS result USING (trace, scheduler)
        WHERE kind = 'measured' AND result.pair = app_a || '-' || app_b""")
    assert rows.height == 4 * 45
    assert rows["modelled_gain"].to_list() == pytest.approx((rows["stp"] - 1).to_list())


def test_errors_and_their_intervals_are_those_of_the_pairs(ask):
    pairs = ask("FROM modelled_and_measured_pairs")
    rows = ask("FROM error_of_modelled_pairs")
    assert rows.height == pairs.select("trace", "scheduler").n_unique() == 4
    for row in rows.to_dicts():
        of = pairs.filter(trace=row["trace"], scheduler=row["scheduler"])
        apps = sorted({*of["app_a"], *of["app_b"]})
        assert (row["apps"], row["pairs"]) == (len(apps), of.height)
        members = np.array([[apps.index(a), apps.index(b)] for a, b in of.select("app_a", "app_b").iter_rows()])
        error, null = (of[name].abs().to_numpy() for name in ("difference", "null_difference"))
        same, null_same = (
            ((of[name] > 0) == (of["measured_gain"] > 0)).to_numpy() for name in ("modelled_gain", "null_gain")
        )
        for name, values in (("mean_difference", of["difference"].to_numpy()), ("mae", error),
                             ("over_null", null - error), ("same_sign", same)):  # fmt: skip
            expected = jackknife(lambda keep, v=values: v[keep].mean(), members, len(apps))
            assert [row[name], row[f"{name}_lo"], row[f"{name}_hi"]] == pytest.approx(list(expected)), name
        assert row["null_mae"] == pytest.approx(null.mean())
        assert row["null_same_sign"] == pytest.approx(null_same.mean())
        assert row["better_than_null"] == (row["over_null_lo"] > 0)
        expected = stats.spearmanr(of["modelled_gain"], of["measured_gain"]).statistic
        assert row["rank_correlation"] == pytest.approx(expected)


def test_pairs_that_were_measured_recommend_nothing(ask):
    assert set(ask("SELECT DISTINCT kind FROM recommended_gpu_corun")["kind"]) <= {"pair", "drawn", "queue"}
    assert "measured" in set(ask("SELECT DISTINCT kind FROM gpu_corun_result")["kind"])
