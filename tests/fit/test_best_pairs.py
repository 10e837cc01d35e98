"""Pairing against brute force over all matchings, cards by hand, and the rows of best pairs."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
import pytest

from pipeline import tables
from pipeline.fit import pairing
from pipeline.fit.pairing import Card, best, card, greedy


def drawn(n, seed):
    rng = np.random.default_rng(seed)
    half = np.triu(rng.normal(0.1, 0.4, (n, n)), 1)
    return half + half.T


def matchings(free):
    """All sets of disjoint pairs."""
    if not free:
        yield ()
        return
    head, *rest = free
    yield from matchings(rest)
    for partner in rest:
        for others in matchings([i for i in rest if i != partner]):
            yield ((head, partner), *others)


def gained(gain, partner):
    return sum(gain[a, b] for a, b in enumerate(partner) if b >= 0)


@pytest.mark.parametrize("n", range(2, 9))
@pytest.mark.parametrize("seed", range(6))
def test_the_best_pairing_is_that_of_brute_force(n, seed):
    gain = drawn(n, seed)
    most = max(sum(gain[a, b] for a, b in matching) for matching in matchings(list(range(n))))
    assert gained(gain, best(gain)) == pytest.approx(2 * most)
    assert gained(gain, greedy(gain)) <= 2 * most + 1e-12


def plain_greedy(gain):
    """Best first, by sorting all pairs."""
    n = len(gain)
    order = sorted((-gain[a, b], a, b) for a in range(n) for b in range(a + 1, n) if gain[a, b] > 0)
    partner = [-1] * n
    for _, a, b in order:
        if partner[a] == partner[b] == -1:
            partner[a], partner[b] = b, a
    return partner


@pytest.mark.parametrize("seed", range(30))
def test_greedy_takes_the_largest_first(seed):
    gain = drawn(9, seed)
    assert greedy(gain).tolist() == plain_greedy(gain)


def test_greedy_may_be_worse_than_the_matching():
    gain = np.zeros((4, 4))
    for a, b, value in ((0, 1, 0.6), (1, 2, 0.7), (2, 3, 0.6)):
        gain[a, b] = gain[b, a] = value
    assert greedy(gain).tolist() == [-1, 2, 1, -1]
    assert best(gain).tolist() == [1, 0, 3, 2]


def test_nobody_is_paired_who_loses_or_cannot():
    gain = np.array([[0.0, -0.1, np.nan], [-0.1, 0.0, 0.0], [np.nan, 0.0, 0.0]])
    assert best(gain).tolist() == greedy(gain).tolist() == [-1, -1, -1]


def test_equal_gains_pair_neighbours():
    assert greedy(np.full((6, 6), 0.3)).tolist() == [1, 0, 3, 2, 5, 4]


def made(share):
    n = len(share)
    none = np.full((n, n), np.nan)
    return Card(tuple(f"app{i:02d}" for i in range(n)), share, np.ones((n, n), bool), none, none)


def test_who_gains_nothing_is_left_alone():
    share = np.full((5, 5), 0.4)
    share[0, 1], share[1, 0] = 0.9, 0.5
    rows = pairing.best_pairs(made(share))
    assert rows["partner"].to_list() == ["app01", "app00", None, None, None]
    assert rows["speedup"].to_list() == pytest.approx([1.4, 1.4, 1, 1, 1])
    assert rows["share"].to_list() == pytest.approx([0.9, 0.5, 1, 1, 1])
    assert rows["basis"].to_list() == ["measured"] * 2 + ["alone"] * 3
    # Mean 1.16 of 5; units: a pair and three alone.
    assert rows["total_speedup"][0] == pytest.approx(1.16)


def test_a_pair_that_was_not_tried_is_not_chosen():
    u = np.tile([0.5, 1.3], 7) + np.linspace(0, 0.1, 14)
    of = made(1 / np.maximum(1.0, u[:, None] + u[None, :]))
    hole, tried = of.share.copy(), of.tried.copy()
    hole[0, 2:], hole[2:, 0], tried[0, 2:], tried[2:, 0] = np.nan, np.nan, False, False
    rows = pairing.best_pairs(replace(of, share=hole, tried=tried))
    partner = dict(rows.select("app", "partner").iter_rows())
    assert partner["app00"] in (None, "app01")
    assert all(partner[other] == app for app, other in partner.items() if other is not None)
    assert rows["total_speedup"][0] == pytest.approx(rows["speedup"].mean())


def test_runs_are_averaged_and_what_does_not_fit_takes_turns():
    pairs = pl.DataFrame({
        "app_a": ["a", "b", "a", "a"], "app_b": ["b", "a", "c", "ghost"], "slowdown_a": [2.0, 1.0, None, None],
        "slowdown_b": [1.25, 4.0, None, None], "fits": [None, None, False, False],
    }, schema_overrides={"fits": pl.Boolean})  # fmt: skip
    pairs = pl.concat([pairs, pairs[:1].with_columns(app_b=pl.lit("c"), slowdown_b=pl.lit(1.0))])
    pairs = tables.conform(pairs.with_columns(trace=pl.lit("t")), tables.CorunPair)
    of = card(pairs[:3])
    assert of.apps == ("a", "b")
    assert of.share[0, 1] == pytest.approx((1 / 2 + 1 / 4) / 2)
    assert of.share[1, 0] == pytest.approx((1 / 1.25 + 1) / 2)
    assert (of.least[0, 1], of.most[0, 1]) == pytest.approx((1.25, 1.3))
    unfit = card(pairs.with_columns(app_a=pl.lit("a"), app_b=pl.Series(["b", "c", "d", "e", "c"])))
    assert unfit.apps == ("a", "b", "c")
    assert not unfit.tried[1, 2]
    assert np.isnan(unfit.gain[1, 2])
    assert replace(unfit, tried=np.ones((3, 3), bool)).gain[1, 2] == 0.0


def drawn_pairs(names, *gpus):
    pairs = [(gpu, *two) for gpu in gpus for two in combinations(names, 2)]
    frame = pl.DataFrame(pairs, schema={"gpu": pl.String, "app_a": pl.String, "app_b": pl.String}, orient="row")
    slowdown_a, slowdown_b = np.random.default_rng(1).uniform(1, 2, (2, len(pairs)))
    frame = frame.with_columns(trace=pl.lit("t"), slowdown_a=slowdown_a, slowdown_b=slowdown_b)
    return tables.conform(frame, tables.CorunPair)


def test_rows_may_stand_in_any_order_and_each_card_is_paired():
    pairs = drawn_pairs("abcdefghijk", "x", "y")
    rows = pairing.fit(pairs)
    assert rows.equals(pairing.fit(pairs.sample(fraction=1.0, shuffle=True, seed=1)))
    assert rows.group_by("trace", "gpu").len().sort("gpu").rows() == [("t", "x", 11), ("t", "y", 11)]


def test_of_many_applications_the_best_are_taken_first(monkeypatch):
    names = [f"a{i:02d}" for i in range(12)]
    whole = pairing.fit(drawn_pairs(names, None))
    monkeypatch.setattr(pairing, "MOST_MATCHED", 8)
    rows = pairing.fit(drawn_pairs(names, None))
    assert set(whole["method"]) == {"matching"}
    assert set(rows["method"]) == {"greedy"}
    assert rows["app"].to_list() == names
    assert rows["total_speedup"][0] <= whole["total_speedup"][0]
