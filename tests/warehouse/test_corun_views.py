"""The view of rules on pairs, compared with the tables of the fit stage."""

import polars as pl
import pytest


def test_regret_is_the_mean_over_queues(ask, small_results):
    choices = pl.read_parquet(small_results / "fit" / "nvprof_like" / "corun_choices.parquet")
    theirs = choices.group_by("objective", "rule").agg(regret=pl.col("regret").mean(), queues=pl.len().cast(pl.Int64))
    ours = ask("SELECT objective, rule, regret, queues FROM best_corun_rule WHERE trace = 'nvprof_like'")
    both = ours.join(theirs, on=["objective", "rule"], suffix="_found")
    assert len(both) == len(ours) == 12
    assert both["regret"].to_list() == pytest.approx(both["regret_found"].to_list())
    assert both["queues"].to_list() == both["queues_found"].to_list()


def test_errors_are_those_of_the_predictions(ask):
    rows = ask("""
        SELECT rule, any_value(mae) AS mae, avg(error) AS found
        FROM best_corun_rule JOIN (
            SELECT trace, rule, unnest([abs(predicted_a - measured_a), abs(predicted_b - measured_b)]) AS error
            FROM corun_prediction
        ) USING (trace, rule)
        GROUP BY rule""")
    assert len(rows) == 5
    assert rows["mae"].to_list() == pytest.approx(rows["found"].to_list())


def test_nobody_is_recommended_who_is_not_better_than_chance(ask):
    rows = ask("SELECT * FROM best_corun_rule")
    for (_, _), of in rows.group_by("trace", "objective"):
        best = of.filter("better_than_chance")
        recommended = of.filter("recommended")
        assert len(recommended) == min(1, len(best))
        if len(best):
            assert recommended["regret"].item() == best["regret"].min()
            assert recommended["gain_lo"].item() > 0
    assert set(rows.filter(pl.col("rule") == "random_partner")["gain"]) == {0.0}
    # The generated drop follows the law of this rule, which must find it.
    assert "shared_resources" in rows.filter("recommended")["rule"].to_list()
