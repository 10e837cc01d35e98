"""The dynamic form of each policy against a slow walk through its rounds, and the two paths of Figure 17."""

from fractions import Fraction
from random import Random

import numpy as np
import polars as pl
import pytest
from gpu_sharing_cases import POLICIES, at, brute_force, metric, random_curves, scenario_table, splits_of, tables

from pipeline.runtime import sources
from pipeline.studies import gpu_sharing
from pipeline.studies.gpu_sharing import model

DROP = sources.ROOT / "traces" / "thesis_table_6" / "sm_curve.csv"


def walk(policy, curves, sms):
    """Splits of the rounds, as Section 6.3.2 has them, in exact arithmetic."""
    k = len(curves)
    isolated = [at(curve, sms) for curve in curves]
    rounds = [brute_force("equal_compute", None, isolated, sms)]
    while True:
        here = rounds[-1]
        now = [at(curve, n) for curve, n in zip(curves, here, strict=True)]

        def predicted(i, m, here=here, now=now):
            if m <= here[i]:
                return now[i] * m / here[i]
            return now[i] + (isolated[i] - now[i]) * Fraction(m - here[i], sms - here[i])

        following = brute_force(policy, predicted, isolated, sms) if k > 1 else here
        if following in rounds:
            return rounds, following == here
        rounds.append(following)


@pytest.mark.slow
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(("k", "sms"), [(2, 16), (2, 7), (3, 9), (1, 4)])
def test_rounds_are_those_of_a_slow_walk(policy, k, sms):
    rng = Random(k * 31 + sms)
    for _ in range(10):
        curves = random_curves(rng, sms, "ABC")
        apps = rng.choices("ABC", k=k)
        rows = {"s": {"scheduler": f"dynamic_{policy}", "mix_id": "m", "sms": sms}}
        result = gpu_sharing.replay(tables(curves, {"m": apps}), scenario_table(rows))
        wanted, converged = walk(policy, [curves[app] for app in apps], sms)
        rounds = result["rounds"].group_by("round", maintain_order=True).agg("sms")
        assert [tuple(split) for split in rounds["sms"]] == wanted
        assert rounds["round"].to_list() == list(range(len(wanted)))
        assert splits_of(result)["s"] == wanted[-1]
        assert metric(result, "converged")["s"] == converged
        assert metric(result, "rounds")["s"] == len(wanted) - 1


@pytest.mark.parametrize("interpolation", ["linear", "pchip"])
@pytest.mark.parametrize(
    ("apps", "policy", "path"),
    [
        (["AES", "RAY"], "equal_throughput", [(8, 8), (5, 11)]),
        (["JPEG", "ID"], "max_fair_throughput", [(8, 8), (6, 10), (5, 11)]),
    ],
)
def test_figure_17(apps, policy, path, interpolation):
    mixes = pl.DataFrame({"mix_id": "m", "slot": [0, 1], "app": apps})
    rows = {"s": {"scheduler": f"dynamic_{policy}", "mix_id": "m", "interpolation": interpolation}}
    result = gpu_sharing.replay({"sm_curves": pl.read_csv(DROP), "mixes": mixes}, scenario_table(rows))
    splits = result["rounds"].group_by("round", maintain_order=True).agg("sms")["sms"]
    assert [tuple(split) for split in splits] == path


def test_sms_drain_one_by_one():
    # From 4 and 4 to 1 and 7: A's blocks take 8 cycles and end evenly spread, so SMs come free 2, 4 and 6 cycles after
    # the sample of 8. A's speed is its SMs, B's ten times its own.
    curves = {"A": {8: 8.0}, "B": {8: 80.0}}
    inputs = tables(curves, {"m": ["A", "B"]})
    inputs["apps"] = pl.DataFrame({"app": ["A", "B"], "block_cycles": [8.0, 4.0]})
    rows = {"s": {"scheduler": "dynamic_max_throughput", "mix_id": "m", "sms": 8}}
    result = gpu_sharing.replay(inputs, scenario_table(rows))
    assert result["rounds"]["sms"].to_list() == [4, 4, 1, 7]
    assert result["rounds"]["from_cycle"].to_list() == [0, 0, 14, 14]
    assert metric(result, "realloc_cycles")["s"] == 14
    # A: 8 * 4 + 2 * (4 + 3 + 2) = 50 instead of 14; B: 80 * 4 + 20 * (4 + 5 + 6) = 620 instead of 980.
    near = max((50 - 14) / 1, (980 - 620) / 70) / 0.05
    assert metric(result, "cycles_to_5_percent")["s"] == pytest.approx(near)


def test_from_the_profile_nothing_moves_unless_it_deviates():
    rng = Random(3)
    curves = random_curves(rng, 16, "AB")
    rows = {
        f"{policy} {gamma}": {
            "scheduler": f"dynamic_{policy}", "mix_id": "m", "initial": "profile", "gamma": gamma,
        }
        for policy in POLICIES for gamma in (0.0, 0.3)
    }  # fmt: skip
    static = {policy: {"scheduler": policy, "mix_id": "m"} for policy in POLICIES}
    result = gpu_sharing.replay(tables(curves, {"m": ["A", "B"]}), scenario_table(rows))
    splits = splits_of(gpu_sharing.replay(tables(curves, {"m": ["A", "B"]}), scenario_table(static)))
    starts = result["rounds"].filter(pl.col("round") == 0).group_by("scenario_id", maintain_order=True).agg("sms")
    for name, start in starts.iter_rows():
        assert tuple(start) == splits[name.split()[0]]
    assert {name: rounds for name, rounds in metric(result, "rounds").items() if name.endswith(" 0.0")} == {
        f"{policy} 0.0": 0 for policy in POLICIES
    }
    assert max(metric(result, "rounds").values()) > 0


def test_rounds_of_many_scenarios_are_those_of_each_alone():
    # More rounds and slots than there is room for at first.
    inputs = tables(random_curves(Random(3), 16, "ABC"), {"m": ["A", "B", "C"]})
    asked = {"scheduler": "dynamic_max_throughput", "mix_id": "m", "sms": 16}
    alone = gpu_sharing.replay(inputs, scenario_table({"s": asked}))["rounds"]
    many = gpu_sharing.replay(inputs, scenario_table({f"s{n:03d}": asked for n in range(800)}))["rounds"]
    assert len(many) == 800 * len(alone) > 2048
    for _, rounds in many.group_by("scenario_id"):
        assert rounds.drop("scenario_id").equals(alone.drop("scenario_id"))


@pytest.mark.parametrize(
    ("values", "expected"), [([0.0, 0.0, 0.0], 0), ([0.0, 2.0], 1), ([3.0, 3.0], 0), ([1.0, 4.0], 0.75)]
)
def test_unfairness_is_none_where_nobody_has_anything(values, expected):
    assert model.unfairness(np.array(values)) == expected
