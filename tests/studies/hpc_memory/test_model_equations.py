"""The page's equations, held exactly with rational numbers."""

from fractions import Fraction
from random import Random

import pytest

from pipeline.studies.hpc_memory import model


def plain(function):
    """The Python function behind a compiled one."""
    return getattr(function, "py_func", function)


def random_fraction(rng, low, high):
    return Fraction(rng.randint(low * 60, high * 60), 60)


def random_law(rng):
    """Levels in GB, increasing and above 0, with shares that sum to 1."""
    levels = sorted({random_fraction(rng, 1, 200) for _ in range(rng.randint(1, 6))})
    weights = [rng.randint(0, 5) + (k == 0) for k in range(len(levels))]
    return levels, [Fraction(weight, sum(weights)) for weight in weights]


def test_speed_is_linear_up_to_the_need():
    rng = Random(1)
    speed = plain(model.speed)
    for _ in range(500):
        alpha = Fraction(rng.randint(1, 99), 100)
        need = random_fraction(rng, 1, 500)
        usable = random_fraction(rng, 0, 600)
        expected = 1 if usable >= need else alpha + (1 - alpha) * usable / need
        assert speed(usable, need, alpha) == expected


def test_speed_at_its_ends():
    alpha = Fraction(3, 100)
    speed = plain(model.speed)
    assert speed(Fraction(0), Fraction(105), alpha) == alpha
    assert speed(Fraction(105), Fraction(105), alpha) == 1
    assert speed(Fraction(0), Fraction(0), alpha) == 1
    assert speed(Fraction(21), Fraction(42), alpha) == Fraction(103, 200)


def test_compiled_speed_is_the_plain_one():
    rng = Random(2)
    for _ in range(200):
        usable, need, alpha = rng.uniform(0, 300), rng.choice((0.0, rng.uniform(0.1, 300))), rng.uniform(0.01, 0.99)
        exact = plain(model.speed)(Fraction(usable), Fraction(need), Fraction(alpha))
        assert model.speed(usable, need, alpha) == pytest.approx(float(exact), rel=1e-14)


def test_marginal_gain_sums_the_levels_still_above():
    rng = Random(3)
    for _ in range(200):
        levels, shares = random_law(rng)
        gains = plain(model.marginal_gain)(levels, shares)
        assert list(gains) == [
            sum(p / x for x, p in zip(levels[k:], shares[k:], strict=True)) for k in range(len(levels))
        ]
        # Lemma 1: never more at a higher level
        assert list(gains) == sorted(gains, reverse=True)


def test_expected_speed_rises_between_levels_by_the_marginal_gain():
    """Equations 2 and 3: slope (1 - alpha)·g between m_j and m_{j+1}, with the sentinel m_0 = 0."""
    rng = Random(4)
    for _ in range(200):
        levels, shares = random_law(rng)
        alpha = Fraction(rng.randint(1, 99), 100)
        gains = plain(model.marginal_gain)(levels, shares)

        def page_formula(memory, levels=levels, shares=shares, alpha=alpha):
            reached = sum(p for x, p in zip(levels, shares, strict=True) if x <= memory)
            above = sum(p / x for x, p in zip(levels, shares, strict=True) if x > memory)
            return alpha + (1 - alpha) * (reached + memory * above)

        def mean_of_speeds(memory, levels=levels, shares=shares, alpha=alpha):
            return sum(p * Fraction(plain(model.speed)(memory, x, alpha)) for x, p in zip(levels, shares, strict=True))

        for below, above, gain in zip([Fraction(0), *levels], levels, gains, strict=False):
            between = below + (above - below) * Fraction(rng.randint(1, 9), 10)
            for memory in (below, between, above):
                assert page_formula(memory) == mean_of_speeds(memory)
                assert page_formula(memory) - page_formula(below) == (memory - below) * (1 - alpha) * gain
