"""Choice of partners: matchings against networkx, queues of known answer, intervals against textbook formulas."""

from dataclasses import replace
from itertools import combinations

import networkx
import numpy as np
import polars as pl
import pytest
import scipy

from pipeline.fit import corun, corun_choice
from pipeline.fit.corun_choice import first_allowed, first_least, matching_costs, matchings, pair_costs
from pipeline.stages import ingest
from pipeline.synthetic import write_nvprof


def apps_with(slowdown, alone_s, seed=1):
    n = len(alone_s)
    rng = np.random.default_rng(seed)
    uses = (rng.uniform(0.1, 0.5, n) for _ in range(3))
    names = tuple(f"app{i:02d}" for i in range(n))
    return corun.Measured(
        names, np.array(alone_s, float), *uses, rng.uniform(0, 1, (n, 2)), rng.integers(0, 5, n), slowdown
    )


def random_apps(n, seed):
    rng = np.random.default_rng(seed)
    return apps_with(1 + rng.uniform(0, 1, (n, n)), rng.uniform(1, 9, n), seed)


def test_there_are_as_many_matchings_as_telephone_numbers_say():
    assert [len(matchings(n, False)) for n in range(7)] == [1, 1, 2, 4, 10, 26, 76]
    assert [len(matchings(n, True)) for n in (0, 2, 4, 6)] == [1, 1, 3, 15]
    for whole in (True, False):
        for matching in matchings(6, whole):
            taken = [i for two in matching for i in two]
            assert len(set(taken)) == len(taken)


@pytest.mark.parametrize("seed", range(8))
def test_least_costs_against_networkx(seed):
    apps = random_apps(6, seed)
    queue = np.arange(6)[None, :]
    for objective in corun_choice.OBJECTIVES:
        whole = objective == "mean_slowdown"
        pair, alone = pair_costs(apps.alone_s[queue], apps.slowdown[None], objective)
        graph = networkx.Graph()
        for a, b in combinations(range(6), 2):
            saved = -pair[0, a, b] if whole else alone[0, a] + alone[0, b] - pair[0, a, b]
            graph.add_edge(a, b, weight=saved)
        chosen = networkx.max_weight_matching(graph, maxcardinality=whole)
        single = set(range(6)) - {i for two in chosen for i in two}
        theirs = sum(pair[0, a, b] for a, b in chosen) + sum(alone[0, i] for i in single)
        assert matching_costs(pair, alone, whole).min() == pytest.approx(theirs)


def test_costs_of_a_pair_by_hand():
    slowdown = np.array([[[np.nan, 1.5], [1.2, np.nan]]])
    pair, alone = pair_costs(np.array([[4.0, 10.0]]), slowdown, "total_time")
    assert pair[0, 0, 1] == pair[0, 1, 0] == 12.0
    assert alone.tolist() == [[4.0, 10.0]]
    pair, _ = pair_costs(np.array([[4.0, 10.0]]), slowdown, "mean_slowdown")
    assert pair[0, 0, 1] == pytest.approx(2.7)
    with pytest.raises(ValueError, match="unknown objective 'speed'"):
        pair_costs(np.array([[4.0, 10.0]]), slowdown, "speed")


def test_slate_walks_the_queue():
    may = np.zeros((4, 4), dtype=bool)
    may[0, 2] = may[1, 3] = True
    queue = np.array([0, 1, 2, 3])
    assert first_allowed(queue, may, False) == ((0, 2), (1, 3))
    # Table I is asked with the head as the active one: 3 may not run beside 1, nor 2 beside 0.
    assert first_allowed(queue[::-1], may, False) == ()
    assert first_allowed(queue[::-1], may, True) == ((0, 1), (2, 3))


def test_ties_go_to_the_first():
    assert first_least(np.array([[3.0, 1.0 + 1e-15, 1.0], [2.0, 2.0, 5.0]])).tolist() == [1, 0]


def test_a_rule_that_knows_the_law_has_no_regret():
    rule = next(rule for rule in corun.RULES if rule.name == "shared_resources")
    apps = random_apps(10, 3)
    slowdown = rule.offset + rule.terms(apps) @ np.array([0.5, 0.5, 0.5])
    apps = replace(apps, slowdown=slowdown)
    queues = corun_choice.draw_queues(apps, 50, 6, 1)
    for objective in corun_choice.OBJECTIVES:
        choices = corun_choice.choose(apps, queues, objective)
        mean = dict(choices.group_by("rule").agg(pl.col("regret").mean()).rows())
        assert mean["shared_resources"] == pytest.approx(0, abs=1e-9)
        assert mean["random_partner"] > 0.001
        assert choices["regret"].min() >= 0
        # Nothing costs less than the best, nor does the best depend on the rule.
        assert choices.group_by("queue").agg(pl.col("best").n_unique())["best"].unique().to_list() == [1]


def test_a_random_partner_is_the_mean_of_all_matchings():
    apps = random_apps(6, 2)
    queue = np.arange(6)[None, :]
    choices = corun_choice.choose(
        random_apps(12, 2), corun_choice.draw_queues(random_apps(12, 2), 1, 6, 1), "mean_slowdown"
    )
    assert set(choices["rule"]) == {"random_partner", *(rule.name for rule in corun.RULES)}
    pair, alone = pair_costs(apps.alone_s[queue], apps.slowdown[None], "mean_slowdown")
    # Each of the 15 pairs stands in 3 of the 15 matchings: the mean over them is a fifth of the sum over pairs.
    everything = sum(pair[0, a, b] for a, b in combinations(range(6), 2))
    assert matching_costs(pair, alone, True).mean() == pytest.approx(everything / 5)


def test_queues_hold_measured_pairs_only_and_are_seeded():
    apps = random_apps(10, 4)
    slowdown = apps.slowdown.copy()
    slowdown[0, 1] = np.nan
    apps = replace(apps, slowdown=slowdown)
    queues = corun_choice.draw_queues(apps, 200, 4, 1)
    assert len(queues) == 200
    assert not any({0, 1} <= set(queue) for queue in queues.tolist())
    assert all(len(set(queue)) == 4 for queue in queues.tolist())
    assert (queues == corun_choice.draw_queues(apps, 200, 4, 1)).all()
    assert (queues != corun_choice.draw_queues(apps, 200, 4, 2)).any()


def test_the_jackknife_of_a_mean_is_the_t_interval():
    values = np.random.default_rng(5).normal(3, 2, 20)
    members = np.arange(20)[:, None]
    middle, lo, hi = corun_choice.jackknife(lambda keep: values[keep].mean(), members, 20)
    theirs = scipy.stats.t.interval(0.95, 19, values.mean(), scipy.stats.sem(values))
    assert (middle, lo, hi) == pytest.approx((values.mean(), *theirs))


def test_too_few_applications_give_empty_tables():
    profiles = pl.DataFrame({name: [1.0] * 4 for name in corun.PROFILE}).with_columns(app=pl.Series(list("abcd")))
    pairs = pl.DataFrame(
        [
            {"app_a": a, "app_b": b, "slowdown_a": 1.5, "slowdown_b": 1.5, "alone_a_s": 2.0, "alone_b_s": 2.0}
            for a, b in combinations("abcd", 2)
        ]
    )
    judged = corun_choice.evaluate(profiles, pairs)
    assert all(frame.is_empty() for frame in judged.values())


def test_rows_may_stand_in_any_order(tmp_path):
    write_nvprof(tmp_path / "made", seed=2)
    ingest.ingest(tmp_path / "made", tmp_path / "ingest")
    profiles, pairs = (pl.read_parquet(tmp_path / "ingest" / f"{name}.parquet") for name in ("gpu_apps", "corun_pairs"))
    one = corun_choice.evaluate(profiles, pairs, queues=20)
    other = corun_choice.evaluate(
        profiles.sample(fraction=1.0, shuffle=True, seed=1), pairs.sample(fraction=1.0, shuffle=True, seed=1), queues=20
    )
    for name, frame in one.items():
        assert frame.equals(other[name]), name
    scored = one["corun_scores"]
    assert scored.filter(pl.col("value").is_null()).is_empty()
    assert scored.filter(pl.col("measure") == "mae", pl.col("rule") == "shared_resources")["value"].item() < 0.05
