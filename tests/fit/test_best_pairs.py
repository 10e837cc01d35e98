"""Pairing against brute force over all matchings, and against networkx's own weight of what it chose."""

import numpy as np
import pytest

from pipeline.fit.corun_choice import matchings
from pipeline.fit.pairing import best, greedy, total


def drawn(n, seed):
    rng = np.random.default_rng(seed)
    half = np.triu(rng.normal(0.1, 0.4, (n, n)), 1)
    return half + half.T


@pytest.mark.parametrize("n", range(2, 9))
@pytest.mark.parametrize("seed", range(6))
def test_the_best_pairing_is_that_of_brute_force(n, seed):
    gain = drawn(n, seed)
    most = max(sum(gain[a, b] for a, b in matching) for matching in matchings(n, False))
    assert total(gain, best(gain)) == pytest.approx(1 + 2 * most / n)
    assert total(gain[None], greedy(gain[None]))[0] <= 1 + 2 * most / n + 1e-12


def plain_greedy(gain):
    """Best first, by sorting all pairs."""
    n = len(gain)
    order = sorted((-gain[a, b], a, b) for a in range(n) for b in range(a + 1, n) if gain[a, b] > 0)
    partner = [-1] * n
    for _, a, b in order:
        if partner[a] == partner[b] == -1:
            partner[a], partner[b] = b, a
    return partner


def test_greedy_takes_the_largest_first():
    gains = np.stack([drawn(9, seed) for seed in range(30)])
    assert greedy(gains).tolist() == [plain_greedy(gain) for gain in gains]


def test_greedy_may_be_worse_than_the_matching():
    gain = np.zeros((4, 4))
    for a, b, value in ((0, 1, 0.6), (1, 2, 0.7), (2, 3, 0.6)):
        gain[a, b] = gain[b, a] = value
    assert greedy(gain[None])[0].tolist() == [-1, 2, 1, -1]
    assert best(gain).tolist() == [1, 0, 3, 2]
    assert total(gain, best(gain)) == pytest.approx(1.6)


def test_nobody_is_paired_who_loses_or_cannot():
    gain = np.array([[0.0, -0.1, np.nan], [-0.1, 0.0, 0.0], [np.nan, 0.0, 0.0]])
    assert best(gain).tolist() == greedy(gain[None])[0].tolist() == [-1, -1, -1]
    assert total(gain, best(gain)) == 1.0


def test_equal_gains_pair_neighbours():
    gain = np.full((1, 6, 6), 0.3)
    assert greedy(gain)[0].tolist() == [1, 0, 3, 2, 5, 4]
