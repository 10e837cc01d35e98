"""Rules on rates of pairs: known laws are found, fits see no more than their protocol lets them."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from pipeline import tables
from pipeline.fit import pair_choice, pair_rules
from pipeline.fit.pair_rules import RULES, Card, card

BY_NAME = {rule.name: rule for rule in RULES}


def made(n=12, seed=1, share=None):
    rng = np.random.default_rng(seed)
    if share is None:
        share = rng.uniform(0.3, 1.0, (n, n))
    facts = rng.normal(2, 1, (n, 2))
    model = tuple(np.array(["net", "lm", "gan"])[rng.integers(0, 3, n)])
    none = np.full((n, n), np.nan)
    kind = rng.integers(0, 5, n)
    return Card(tuple(f"app{i:02d}" for i in range(n)), share, np.ones((n, n), bool), none, none, facts, model, kind)


def test_saturation_finds_what_jobs_take_also_on_another_card():
    u = np.random.default_rng(2).uniform(0.5, 1.2, 12)
    of = made(share=1 / (u[:, None] + u[None, :]))
    shares = BY_NAME["saturation"].fit([(of, of.pairs)])(of)
    assert shares == pytest.approx(of.share)
    fewer = replace(made(5, 9), apps=("app03", "app07", "new", "app01", "app11"))
    carried = BY_NAME["saturation"].fit([(of, of.pairs)])(fewer)
    taken = np.array([u[3], u[7], u.mean(), u[1], u[11]])
    assert carried == pytest.approx(1 / np.maximum(1, taken[:, None] + taken[None, :]))


def test_ridge_against_the_augmented_least_squares_problem():
    of = made(14, 3)
    pairs = of.pairs[::2]
    shares = BY_NAME["ridge"].fit([(of, pairs)])(of)
    models = sorted(set(of.model))
    one = np.array([[*of.facts[i], *(float(of.model[i] == m) for m in models)] for i in range(14)])
    rows = [(a, b) for a, b in pairs] + [(b, a) for a, b in pairs if a != b]
    x = np.array([[*one[a], *one[b]] for a, b in rows])
    y = np.array([np.log(1 / of.share[a, b]) for a, b in rows])
    z = (x - x.mean(0)) / x.std(0)
    penalty = np.sqrt(pair_rules.PENALTY * len(y)) * np.eye(z.shape[1])
    weight = np.linalg.lstsq(np.vstack([z, penalty]), np.append(y - y.mean(), np.zeros(z.shape[1])), rcond=None)[0]
    for a, b in ((0, 1), (5, 2), (13, 13)):
        predicted = y.mean() + ((np.append(one[a], one[b]) - x.mean(0)) / x.std(0)) @ weight
        assert shares[a, b] == pytest.approx(np.exp(-predicted))


def test_ridge_without_facts_is_a_mean_and_missing_ones_take_the_mean():
    of = replace(made(6, 4), facts=np.full((6, 2), np.nan), model=(None,) * 6)
    shares = BY_NAME["ridge"].fit([(of, of.pairs)])(of)
    logs = [np.log(of.share[a, b]) for a in range(6) for b in range(6)]
    assert shares == pytest.approx(np.full((6, 6), np.exp(np.mean(logs))))


def test_table_1_predicts_the_mean_of_its_verdict_and_pairs_as_slate_walks_a_queue():
    of = replace(made(6, 5), kind=np.array([2, 3, 0, 4, 2, 0]))
    shares = BY_NAME["slate_table1"].fit([(of, of.pairs)])(of)
    # L_M/H_C, M_M, L_M/L_C, H_M: Table I by hand, a corun in one of the two cells being enough.
    together = {(2, 3), (2, 4), (0, 0), (0, 3), (0, 4)}
    allowed = np.array([[tuple(sorted((a, b))) in together for b in of.kind] for a in of.kind])
    assert shares[allowed] == pytest.approx(of.share[allowed].mean())
    assert shares[~allowed] == pytest.approx(of.share[~allowed].mean())
    # As printed, L_M/H_C (0, active) runs beside H_M (3) alone; M_M (1) beside the next, L_M/L_C (2); 4 beside neither.
    sets = np.array([[0, 1, 2, 3, 4, 5], [4, 0, 5, 2, 1, 3]])
    chosen = BY_NAME["slate_table1"].partners(of, sets)
    # Second set: 4 waits for H_M (3), 0 finds none, 5 takes 2, 1 is alone.
    assert chosen.tolist() == [[3, 2, 1, 0, -1, -1], [5, -1, 3, 2, -1, 0]]


def test_profiles_are_those_of_applications_else_of_their_kernels():
    kernels = pl.DataFrame(
        [("t", "a", "x", 9.0, 1.0, 1.0), ("t", "b", "y", 10.0, 100.0, 3.0), ("t", "b", "z", 20.0, 20.0, 1.0),
         ("t", None, "own", 5.0, 6.0, None), ("t", "none", "w", None, 4.0, 1.0)],
        schema=["trace", "app", "kernel", "gflops", "memory_gbps", "time_s"], orient="row",
    )  # fmt: skip
    apps = pl.DataFrame({"trace": "t", "app": ["a", "none"], "gflops": [7.0, None], "memory_gbps": 8.0,
                         "start_s": 1.0, "span_s": 3.0, "copy_s": 0.5, "kernel_s": 0.25, "kernels": 1})  # fmt: skip
    kernels = tables.conform(kernels.with_columns(origin=pl.lit("measured")), tables.Kernel)
    profiles = pair_rules.profiled(tables.conform(apps, tables.GpuApp), kernels)
    assert dict(profiles.select("app", pl.concat_list("gflops", "memory_gbps")).iter_rows()) == {
        "a": [7.0, 8.0],
        "b": [12.5, 80.0],
        "own": [5.0, 6.0],
    }
    pairs = pl.DataFrame({"trace": "t", "app_a": ["a"], "app_b": ["b"], "slowdown_a": 1.0, "slowdown_b": 1.0})
    of = card(tables.conform(pairs, tables.CorunPair), tables.empty(tables.SoloRate), profiles)
    assert of.facts[0, 2:6].tolist() == pytest.approx([0.25, 0.125, 0.0625, 7.0])
    assert of.kind.tolist() == [0, 0]
    lacking = profiles.filter(pl.col("app") != "b")
    assert card(tables.conform(pairs, tables.CorunPair), tables.empty(tables.SoloRate), lacking).kind is None


def poisoned(of, pairs):
    share = of.share.copy()
    for a, b in pairs:
        share[a, b] = share[b, a] = 1e-3
    return replace(of, share=share)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_no_fit_sees_the_pairs_or_jobs_that_it_is_judged_on(rule):
    of, other = made(14, 5), made(14, 6)
    others = [(other, other.pairs)]
    before = pair_choice._Judged(of, others, 8, 6, 1)
    members = before.sets[0]
    inside = [(a, b) for a in members for b in members if a < b]
    touching = [(a, b) for a, b in of.pairs if a in members or b in members]
    for protocol, hidden in (("unseen_pairs", inside), ("unseen_jobs", touching), ("unseen_card", of.pairs)):
        if not pair_choice.may(rule, protocol, of, others):
            continue
        bad = poisoned(of, hidden)
        after = pair_choice._Judged(bad, others, 8, 6, 1)
        assert (after.sets == before.sets).all()
        assert (after._chosen(rule, protocol)[0] == before._chosen(rule, protocol)[0]).all()
    # Errors of pairs: the judged one poisoned, with all of its jobs where these are unseen.
    folds = np.arange(len(of.pairs)) % 10
    a, b = of.pairs[3]
    same = [tuple(pair) for pair in of.pairs[folds == 3]]
    both = [(x, y) for x, y in of.pairs if {x, y} & {a, b}]
    for protocol, hidden in (("unseen_pairs", same), ("unseen_jobs", both), ("unseen_card", of.pairs)):
        if pair_choice.may(rule, protocol, of, others):
            predicted = before._unseen(rule, protocol, folds)
            again = pair_choice._Judged(poisoned(of, hidden), others, 0, 6, 1)._unseen(rule, protocol, folds)
            assert again[[a, b], [b, a]].tolist() == predicted[[a, b], [b, a]].tolist(), protocol
            if protocol != "unseen_card":
                seen = {(x, y) for x, y in of.pairs} - {(u, v) for u, v in hidden}
                changed = pair_choice._Judged(poisoned(of, seen), others, 0, 6, 1)._unseen(rule, protocol, folds)
                assert changed[a, b] != predicted[a, b], protocol


def test_runs_are_averaged_and_what_does_not_fit_takes_turns():
    pairs = pl.DataFrame({
        "app_a": ["a", "b", "a", "a"], "app_b": ["b", "a", "c", "ghost"], "slowdown_a": [2.0, 1.0, None, None],
        "slowdown_b": [1.25, 4.0, None, None], "fits": [None, None, False, False],
        "alone_a_per_s": [3.0, 5.0, 3.0, 3.0], "alone_b_s": [0.2, 1 / 3, 9.0, 9.0],
    }, schema_overrides={"fits": pl.Boolean})  # fmt: skip
    pairs = pl.concat([pairs, pairs[:1].with_columns(app_b=pl.lit("c"), slowdown_b=pl.lit(1.0))])
    pairs = tables.conform(pairs.with_columns(trace=pl.lit("t")), tables.CorunPair)
    solo = pl.DataFrame({"trace": "t", "app": ["a"], "gpus": [1], "model": ["net"], "batch": [8], "rate_per_s": 3.0})
    of = card(pairs[:3], tables.conform(solo, tables.SoloRate))
    assert of.apps == ("a", "b")
    assert of.share[0, 1] == pytest.approx((1 / 2 + 1 / 4) / 2)
    assert of.share[1, 0] == pytest.approx((1 / 1.25 + 1) / 2)
    assert (of.least[0, 1], of.most[0, 1]) == pytest.approx((1.25, 1.3))
    assert of.facts[0, :2].tolist() == pytest.approx([np.log(8), np.log(3)])
    assert np.isnan(of.facts[1, 0]) and of.facts[1, 1] == pytest.approx(np.log(5))
    assert of.model == ("net", None)
    unfit = card(
        pairs.with_columns(app_a=pl.lit("a"), app_b=pl.Series(["b", "c", "d", "e", "c"])), tables.empty(tables.SoloRate)
    )
    assert unfit.apps == ("a", "b", "c")
    assert not unfit.tried[1, 2]
    assert np.isnan(unfit.gain[1, 2])
    assert replace(unfit, tried=np.ones((3, 3), bool)).gain[1, 2] == 0.0
