"""Best pairs of a trace, against the pairs that were measured."""

import duckdb
import pytest


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
