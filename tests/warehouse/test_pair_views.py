"""The view of rules on rates of pairs, and best pairs, against the tables of the fit stage."""

import duckdb
import polars as pl
import pytest


def test_the_view_has_the_scores(ask, small_results):
    scores = pl.read_parquet(small_results / "fit" / "gavel" / "pair_scores.parquet")
    rows = ask("SELECT * FROM best_pair_rule WHERE trace = 'gavel'")
    of_rules = scores.select("gpu", "protocol", "rule").unique()
    assert rows.height == of_rules.height == 2 * (7 + 6 + 7)
    for measure in ("speedup", "regret", "over_random", "mae"):
        theirs = scores.filter(measure=measure).select("gpu", "protocol", "rule", "value")
        both = rows.join(theirs, on=["gpu", "protocol", "rule"]).drop_nulls("value")
        assert both.height == theirs.height
        assert both[measure].to_list() == both["value"].to_list()


def test_nobody_is_recommended_who_does_not_beat_chance_or_cannot_be_used(ask):
    rows = ask("SELECT * FROM best_pair_rule")
    for (_, _, _), of in rows.group_by("trace", "gpu", "protocol"):
        usable = of.filter("better_than_chance", pl.col("rule") != "greedy_measured")
        usable = usable.filter((pl.col("speedup_lo") > 1) | (pl.col("rule") == "never"))
        assert of.filter("recommended").height == min(1, usable.height)
        if usable.height:
            assert of.filter("recommended")["regret"].item() == usable["regret"].min()
    gavel = rows.filter("recommended", trace="gavel").select("gpu", "protocol", "rule").rows()
    assert gavel == [("k80", protocol, "never") for protocol in ("unseen_pairs", "unseen_jobs", "unseen_card")]
    assert (rows.filter(rule="never")["speedup"] == 1).all()


def test_best_pairs_name_each_application_once_and_both_of_a_pair(ask):
    rows = ask("FROM best_pairs('gavel')")
    assert rows.group_by("gpu").len().sort("gpu")["len"].to_list() == [25, 26]
    partner = {(row["gpu"], row["app"]): row["partner"] for row in rows.to_dicts()}
    assert all(other is None or partner[gpu, other] == app for (gpu, app), other in partner.items())
    assert None in partner.values()
    with pytest.raises(duckdb.Error, match="no trace 'gavle'"):
        ask("FROM best_pairs('gavle')")
    pairs = ask("""
        SELECT count(*) AS n FROM best_pairs('gavel') b JOIN corun_pair p
        ON b.gpu = p.gpu AND b.app IN (p.app_a, p.app_b) AND b.partner IN (p.app_a, p.app_b) AND p.app_a <> p.app_b
        WHERE abs(b.gain + 1 - 1 / p.slowdown_a - 1 / p.slowdown_b) < 1e-9""")
    assert pairs["n"].item() == rows["partner"].drop_nulls().len()


def test_the_answer_names_the_best_pairs_and_how_many_stay_alone(ask):
    said = ask(
        "FROM answer_gpu_corun WHERE topic = 'pairs' AND trace = 'gavel' AND contains(about, 'p100') ORDER BY place"
    )
    pairs = ask("FROM best_pairs('gavel') WHERE gpu = 'p100' AND app < partner ORDER BY gain DESC, app")
    best = pairs.head(6)
    assert said["setting"].head(6).to_list() == (best["app"] + " + " + best["partner"]).to_list()
    assert said["margin"].head(6).to_list() == pytest.approx(best["gain"].to_list())
    alone = ask("FROM best_pairs('gavel') WHERE gpu = 'p100' AND partner IS NULL").height
    assert said.select("setting", "scheduler").rows()[6:] == [
        (f"{pairs.height - 6} more pairs", "side by side"),
        (f"{alone} applications", "alone"),
    ]
