"""Judgement of rules on rates of pairs: sums by hand and by brute force, and best pairs."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from pipeline import tables
from pipeline.fit import pair_choice
from pipeline.fit.corun_choice import matchings
from tests.fit.test_pair_rules import made


def test_measures_of_sets_against_all_matchings():
    of = made(12, 7)
    share = of.share.copy()
    share[2, 5] = share[5, 2] = np.nan
    of = replace(of, share=share)
    judged = pair_choice._Judged(of, [], 20, 6, 3)
    scores = {(row["rule"], row["measure"]): row["value"] for row in judged.scores.to_dicts()
              if row["protocol"] == "unseen_pairs"}  # fmt: skip
    weight = np.nan_to_num(of.share + of.share.T, nan=1.0)
    random, most, always = [], [], []
    for members in judged.sets:

        def speedup(matching, members=members):
            pairs = [(members[a], members[b]) for a, b in matching]
            return (sum(2 * weight[a, b] for a, b in pairs) + 6 - 2 * len(pairs)) / 6

        random.append(np.mean([speedup(matching) for matching in matchings(6, True)]))
        most.append(max(speedup(matching) for matching in matchings(6, False)))
        always.append(speedup(((0, 1), (2, 3), (4, 5))))
    assert scores["random_partner", "speedup"] == pytest.approx(np.mean(random))
    assert scores["always", "speedup"] == pytest.approx(np.mean(always))
    assert scores["never", "speedup"] == 1.0
    assert scores["never", "regret"] == pytest.approx(np.mean(np.array(most) - 1))
    assert scores["random_partner", "regret"] == pytest.approx(np.mean(np.array(most) / random - 1))
    assert scores["always", "over_random"] == pytest.approx(np.mean(always) - np.mean(random))
    assert scores["mean_share", "over_null"] == 0.0
    assert ("never", "harmed") in scores and scores["never", "harmed"] == 0.0
    hits = [sum(of.share[m[i], m[i ^ 1]] < 0.5 for i in range(6)) / 6 for m in judged.sets]
    assert scores["always", "harmed"] == pytest.approx(np.mean(hits))
    unfit = [sum(np.isnan(of.share[m[i], m[i ^ 1]]) for i in range(6)) / 6 for m in judged.sets]
    assert scores["always", "unfit"] == pytest.approx(np.mean(unfit))


def test_errors_are_those_of_the_predictions():
    judged = pair_choice._Judged(made(10, 8), [], 5, 6, 1)
    table = judged.prediction_table()
    for (protocol, rule), rows in table.group_by("protocol", "rule"):
        alone = rows.filter(pl.col("app_a") == pl.col("app_b"))
        others = rows.filter(pl.col("app_a") != pl.col("app_b"))
        errors = [abs(x["predicted_a"] - x["measured_a"]) for x in [*alone.to_dicts(), *others.to_dicts()]]
        errors += [abs(x["predicted_b"] - x["measured_b"]) for x in others.to_dicts()]
        mae = judged.scores.filter(protocol=protocol, rule=rule, measure="mae")
        assert mae["value"].item() == pytest.approx(np.mean(errors))
        assert mae["n"].item() == 100
    assert set(table["rule"]) == {"mean_share", "slate_table1", "saturation", "ridge"}
    assert "saturation" not in set(table.filter(protocol="unseen_jobs")["rule"])


def test_a_law_that_a_rule_knows_is_recommended_and_completes_best_pairs():
    u = np.tile([0.5, 1.3], 7) + np.linspace(0, 0.1, 14)
    of = made(14, 9, share=1 / np.maximum(1.0, u[:, None] + u[None, :]))
    hole = of.share.copy()
    hole[0, 1] = hole[1, 0] = np.nan
    tried = of.tried.copy()
    tried[0, 1] = tried[1, 0] = False
    of = replace(of, share=hole, tried=tried)
    judged = pair_choice._Judged(of, [], 300, 6, 1)
    assert judged.recommended() == "saturation"
    rows = pair_choice.best_pairs(of, judged)
    assert set(rows["rule"]) == {"saturation"}
    partner = dict(rows.select("app", "partner").iter_rows())
    assert all(partner[other] == app for app, other in partner.items() if other is not None)
    assert rows["total_speedup"][0] == pytest.approx(rows["speedup"].mean())
    assert set(rows["basis"]) <= {"measured", "predicted", "alone"}


def test_who_gains_nothing_is_left_alone():
    share = np.full((5, 5), 0.4)
    share[0, 1], share[1, 0] = 0.9, 0.5
    rows = pair_choice.best_pairs(made(5, 1, share=share), None)
    assert rows["partner"].to_list() == ["app01", "app00", None, None, None]
    assert rows["speedup"].to_list() == pytest.approx([1.4, 1.4, 1, 1, 1])
    assert rows["share"].to_list() == pytest.approx([0.9, 0.5, 1, 1, 1])
    assert rows["basis"].to_list() == ["measured"] * 2 + ["alone"] * 3
    # Mean 1.16 of 5; units: a pair and three alone.
    assert rows["total_speedup"][0] == pytest.approx(1.16)


def test_rows_may_stand_in_any_order_and_few_applications_are_not_judged():
    rng = np.random.default_rng(1)
    names = "abcdefghijk"
    rows = [{"trace": "t", "gpu": gpu, "app_a": a, "app_b": b, "slowdown_a": rng.uniform(1, 2),
             "slowdown_b": rng.uniform(1, 2), "alone_a_per_s": 1.0 + ord(a), "alone_b_per_s": 1.0 + ord(b)}
            for gpu in ("x", "y") for i, a in enumerate(names) for b in names[i + 1:]]  # fmt: skip
    pairs = tables.conform(pl.DataFrame(rows), tables.CorunPair)
    solo = tables.empty(tables.SoloRate)
    one = pair_choice.judge(pairs, solo, sets=10)
    other = pair_choice.judge(pairs.sample(fraction=1.0, shuffle=True, seed=1), solo, sets=10)
    for name, frame in one.items():
        assert frame.equals(other[name]), name
        assert frame.height
    assert set(one["pair_scores"]["protocol"]) == set(pair_choice.PROTOCOLS)
    assert "slate_table1" not in set(one["pair_scores"]["rule"])
    few = pairs.filter(pl.col("app_a").is_in(list("abc")), pl.col("app_b").is_in(list("abcd")))
    judged = pair_choice.judge(few, solo)
    assert judged["pair_scores"].is_empty()
    assert judged["best_pairs"].height == 8
    assert judged["best_pairs"]["rule"].null_count() == 8


def test_of_many_applications_some_are_judged_and_all_are_paired(monkeypatch):
    monkeypatch.setattr(pair_choice, "MOST_JUDGED", 8)
    names = [f"a{i:02d}" for i in range(12)]
    rng = np.random.default_rng(4)
    rows = [{"trace": "t", "app_a": a, "app_b": b, "slowdown_a": rng.uniform(1, 2), "slowdown_b": rng.uniform(1, 2)}
            for i, a in enumerate(names) for b in names[i + 1:]]  # fmt: skip
    result = pair_choice.judge(tables.conform(pl.DataFrame(rows), tables.CorunPair), tables.empty(tables.SoloRate))
    assert result["pair_scores"]["apps"].unique().to_list() == [8]
    of_pairs = result["pair_predictions"].filter(rule="ridge", protocol="unseen_pairs")
    assert of_pairs.height == 28
    assert result["best_pairs"]["app"].to_list() == names
