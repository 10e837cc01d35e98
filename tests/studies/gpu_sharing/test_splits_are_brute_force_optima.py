"""Every policy against every split, enumerated independently and compared in exact arithmetic."""

from random import Random

import numpy as np
import pytest
from gpu_sharing_cases import POLICIES, at, brute_force, metric, random_curves, scenario_table, splits_of, tables
from scipy.interpolate import PchipInterpolator

from pipeline.studies import gpu_sharing
from pipeline.studies.gpu_sharing.model import equal

APPS = "ABCDE"


def cases(seed, count, k, sms, step):
    rng = Random(seed)
    for case in range(count):
        curves = random_curves(rng, sms, APPS, step=step)
        yield f"m{case}", curves, rng.choices(APPS, k=k)


@pytest.mark.slow
@pytest.mark.parametrize(("k", "sms", "step"), [(1, 5, 1), (2, 16, 1), (2, 13, 4), (3, 12, 1), (3, 10, 3), (4, 9, 1)])
def test_the_best_of_all_splits(k, sms, step):
    for mix, curves, apps in cases(k * 100 + sms, 12, k, sms, step):
        rows = {p: {"scheduler": p, "mix_id": mix, "sms": sms} for p in POLICIES}
        result = splits_of(gpu_sharing.replay(tables(curves, {mix: apps}), scenario_table(rows)))
        mix_curves = [curves[app] for app in apps]
        for policy in POLICIES:
            wanted = brute_force(
                policy, lambda i, n, mix_curves=mix_curves: at(mix_curves[i], n), [at(c, sms) for c in mix_curves], sms
            )
            assert result[policy] == wanted, (policy, curves, apps)


def test_ties_go_to_the_larger_total_then_to_the_first():
    # Two equal flat curves: every split is as fair as any, and all totals are the same.
    curves = {"A": dict.fromkeys(range(1, 7), 5), "B": dict.fromkeys(range(1, 7), 5)}
    rows = {p: {"scheduler": p, "mix_id": "m", "sms": 6} for p in POLICIES}
    result = splits_of(gpu_sharing.replay(tables(curves, {"m": ["A", "B"]}), scenario_table(rows)))
    assert result == {"equal_compute": (3, 3)} | dict.fromkeys(POLICIES[1:], (1, 5))


def test_straight_lines_of_equal_slope_tie_however_they_round():
    # 0.1 a step: sums of such numbers differ in their last digits, the splits are equally good.
    curves = {app: {16: 1.6} for app in "ABC"}
    rows = {"m": {"scheduler": "max_throughput", "mix_id": "m", "sms": 16}}
    assert splits_of(gpu_sharing.replay(tables(curves, {"m": list("ABC")}), scenario_table(rows)))["m"] == (1, 1, 14)


def test_max_fair_falls_back_where_no_split_is_fair():
    # Convex curves: half of the SMs give less than half of the throughput.
    curves = {app: {n: n * n for n in range(1, 9)} for app in "AB"}
    rows = {p: {"scheduler": p, "mix_id": "m", "sms": 8} for p in ("max_fair_throughput", "equal_speedup")}
    result = gpu_sharing.replay(tables(curves, {"m": ["A", "B"]}), scenario_table(rows))
    assert splits_of(result) == {"max_fair_throughput": (4, 4), "equal_speedup": (4, 4)}
    assert metric(result, "least_speedup")["max_fair_throughput"] == pytest.approx(0.5)


def test_measures_are_those_of_the_page():
    curves = {"A": {2: 30.0, 3: 40.0, 4: 50.0}, "B": {1: 6.0, 4: 16.0}}
    rows = {s: {"scheduler": s, "mix_id": "m", "sms": 4} for s in ("equal_compute", "cooperative")}
    result = gpu_sharing.replay(tables(curves, {"m": ["A", "B"]}), scenario_table(rows))
    b = 6 + 10 / 3  # two SMs, between one and four
    assert {k: v["equal_compute"] for k in MEASURES for v in [metric(result, k)]} == pytest.approx(
        {
            "system_speedup": (30 + b) / (25 + 8),
            "least_speedup": b / 8,
            "total_throughput": 30 + b,
            "unfairness_sms": 0,
            "unfairness_throughput": (30 - b) / 30,
            "unfairness_speedup": (1.2 - b / 8) / 1.2,
        }
    )
    assert {k: v["cooperative"] for k in MEASURES for v in [metric(result, k)]} == pytest.approx(
        {"system_speedup": 1, "least_speedup": 1, "total_throughput": 33, "unfairness_sms": 0,
         "unfairness_throughput": 17 / 25, "unfairness_speedup": 0}
    )  # fmt: skip


MEASURES = ("system_speedup", "least_speedup", "total_throughput", "unfairness_sms", "unfairness_throughput",
            "unfairness_speedup")  # fmt: skip


def test_pchip_is_scipys():
    rng = Random(5)
    points = {n: rng.uniform(1, 9) for n in (2, 3, 7, 12, 16)}
    rows = {
        f"s{n}": {"scheduler": "equal_compute", "mix_id": "m", "sms": n, "interpolation": "pchip"} for n in range(1, 17)
    }
    result = gpu_sharing.replay(tables({"A": points}, {"m": ["A"]}), scenario_table(rows))["outcomes"]
    x, y = [0, *points], [0, *points.values()]
    wanted = PchipInterpolator(x, y)(result["sms"].to_numpy())
    np.testing.assert_allclose(result["throughput"].to_numpy(), wanted, rtol=1e-12)


def test_contention_slows_by_the_others_sms():
    curves = {"A": {8: 80.0}, "B": {8: 40.0}}
    rows = {"m": {"scheduler": "equal_compute", "mix_id": "m", "sms": 8, "gamma": 0.05}}
    outcomes = gpu_sharing.replay(tables(curves, {"m": ["A", "B"]}), scenario_table(rows))["outcomes"]
    assert outcomes["throughput"].to_list() == pytest.approx([40 / 1.2, 20 / 1.2])


@pytest.mark.parametrize("policy", POLICIES[1:])
def test_under_contention_brute_force_sees_it_and_the_profile_does_not(policy):
    for mix, curves, apps in cases(77, 8, 2, 9, 1):
        rows = {
            how: {"scheduler": policy, "mix_id": mix, "sms": 9, "gamma": 0.25, "decide_by": how}
            for how in ("measured", "profile")
        }
        result = splits_of(gpu_sharing.replay(tables(curves, {mix: apps}), scenario_table(rows)))
        mix_curves = [curves[app] for app in apps]
        isolated = [at(c, 9) for c in mix_curves]
        assert result["profile"] == brute_force(
            policy, lambda i, n, mix_curves=mix_curves: at(mix_curves[i], n), isolated, 9
        )
        # gamma = 1/4 is exact in binary; the other application has 9 - n SMs.
        slowed = lambda i, n, mix_curves=mix_curves: at(mix_curves[i], n) * 4 / (4 + 9 - n)  # noqa: E731
        assert result["measured"] == brute_force(policy, slowed, isolated, 9)


def test_equal_compute_spreads_the_remainder_over_the_last_applications():
    for k, sms, expected in ((5, 12, [2, 2, 2, 3, 3]), (4, 30, [7, 7, 8, 8]), (3, 16, [5, 5, 6]), (2, 16, [8, 8])):
        split = np.zeros(k, np.int64)
        equal(sms, split)
        assert split.tolist() == expected
