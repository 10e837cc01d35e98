"""Macros that say numbers, against the functions by which the page says them."""

from itertools import pairwise

import duckdb
import numpy as np
import pytest
import words

from pipeline.runtime import quantities


@pytest.fixture(scope="module")
def ask():
    with duckdb.connect() as connection:
        words.create(connection)

        def said(macro, *arguments):
            listed = ", ".join("NULL" if each is None else repr(each) for each in arguments)
            return connection.execute(f"SELECT {macro}({listed})").fetchall()[0][0]

        yield said


def _numbers():
    rng = np.random.default_rng(1)
    drawn = 10 ** rng.uniform(-6, 9, 200) * rng.choice([-1.0, 1.0], 200)
    return [0.0, 1.0, -1.5, 999.95, 1234.0, 9999.4, 9999.9, 10000.0, 12345.5, 123456789.0, 0.00005, *drawn.tolist()]


def test_numbers_and_shares(ask):
    for value in [None, *_numbers()]:
        assert ask("said_number", value) == quantities.number(value), value
        assert ask("said_share", value) == quantities.share(value), value
    assert ask("said_share", 0.1274, 0) == "13\u00a0%"


def test_whole_numbers(ask):
    for value in (0, 7, -12, 1000, 9999, 10000, 1234567):
        assert ask("said_number", value) == quantities.number(value), value


def test_sizes(ask):
    sizes = [abs(value) for value in _numbers() if value]
    for one, other in pairwise(sizes):
        least, most = sorted((one, other))
        assert ask("said_size", least, most) == quantities.memory(least, most), (least, most)
    assert ask("said_size", None, None) is None
    assert ask("said_size", 105.0, 147.0, 105.0) == "1–1.4\u00a0times the mean"
    assert ask("said_size", 0.01216, 0.02574, None, 2) == "12–26\u00a0MB"


def test_times(ask):
    for value in (abs(value) for value in _numbers()):
        assert ask("said_duration", value) == quantities.duration(value), value
    assert ask("said_duration", None) == "–"


@pytest.mark.parametrize(
    ("margin", "kind", "lo", "hi", "tied", "said"),
    [
        (0.048, "relative", 0.034, 0.061, False, "4.8 % over b (3.4 % to 6.1 %)"),
        (0.02, "relative", -0.01, 0.05, False, "2.0 % over b (−1.0 % to 5.0 %, open)"),
        (0.0125, "difference", 0.01, 0.015, None, "1.25 points over b (1 points to 1.5 points)"),
        (0.016, "relative", None, None, False, "1.6 % over b (no interval)"),
        (0.185, "cost", 0.1, 0.2, False, "b costs 18.5 % more (10.0 % to 20.0 %)"),
        (-0.1, "response", -0.175, -0.028, False, "response time −10.0 % against b (−17.5 % to −2.8 %)"),
        (-0.04, "response", -0.129, 0.051, False, "response time −4.0 % against b (−12.9 % to 5.1 %, open)"),
        (0.0, "relative", 0.0, 0.0, True, "tie with b"),
        (None, "relative", None, None, False, None),
    ],
)
def test_a_margin_is_said_with_its_interval(ask, margin, kind, lo, hi, tied, said):
    assert ask("said_margin", "b", margin, lo, hi, kind, tied) == (said and said.replace(" %", "\u00a0%"))


def test_the_least_of_several_margins_is_said_to_be_that(ask):
    assert ask("said_margin", "b", 0.1, None, None, "relative", False, True).startswith("at least 10.0")


@pytest.mark.parametrize(
    ("wait_s", "unlimited_s", "said"),
    [
        (499.2, 364.2, "users wait 37 % longer (8.32 instead of 6.07 min)"),
        (8244.0, 8352.0, "users wait 1 % less (2.29 instead of 2.32 h)"),
        (21.0, 0.024, "users wait 21 instead of 0.024 s"),
        (21.0, 0.0, "users wait 21 instead of 0 s"),
        (5688.0, 5688.0, "users wait as long as with unlimited memory (94.8 min)"),
        (0.4, 0.0, "users wait less than a second"),
    ],
)
def test_waits_are_compared_in_one_unit_and_in_percent(ask, wait_s, unlimited_s, said):
    assert ask("said_waits", wait_s, unlimited_s).replace("\u00a0", " ") == said
