"""Measured beside replayed starts: against brute force, scipy and schedules small enough to count by hand."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from pipeline.statistics import fidelity


def table(*jobs):
    """Jobs as (submit, nodes, start, end, replayed start)."""
    return pl.DataFrame(jobs, schema=fidelity.COLUMNS, orient="row")


def values(*arguments):
    result = fidelity.measures(*arguments)
    assert result["unit"].to_list() == list(fidelity.UNITS.values())
    return dict(result.select("measure", "value").iter_rows())


BY_HAND = table(
    (0, 2, 0, 100, 0),
    (10, 2, 20, 60, 100),
    (20, 1, 110, 130, 20),
    (100, 3, 130, 150, 140),
)
"""On 4 nodes. Waits are 0, 10, 90, 30 and, replayed, 0, 90, 0, 40."""


def test_measures_by_hand():
    assert values(BY_HAND, 4) == {
        "mean_wait_measured_s": 32.5,
        "mean_wait_replayed_s": 32.5,
        "mean_wait_error": 0,
        "start_error_median_s": 45,  # of 0, 10, 80, 90
        "start_error_p90_s": pytest.approx(87),
        "near_starts": 0.5,
        "discordant_pairs": pytest.approx(1 / 6),  # the second and the third
        "discordant_queued": 0,  # the third and the fourth wait together, and stay in order
        "utilisation_measured": pytest.approx((200 + 80) / 400),
        "utilisation_replayed": pytest.approx((200 + 20) / 400),  # the second starts as the last is submitted
        "wait_distance_s": pytest.approx(5),  # 0, 10, 30, 90 beside 0, 0, 40, 90
    }


def test_halves_are_of_the_time_of_submissions():
    first, second = values(BY_HAND, 4, 1), values(BY_HAND, 4, 2)
    assert first["mean_wait_measured_s"] == pytest.approx(100 / 3)
    assert (second["mean_wait_measured_s"], second["mean_wait_replayed_s"]) == (30, 40)
    assert second["mean_wait_error"] == pytest.approx(1 / 3)
    assert second["discordant_pairs"] is None
    # Jobs of the first half run in the second.
    assert first["utilisation_measured"] == pytest.approx((100 + 60) / 200)
    assert second["utilisation_measured"] == pytest.approx((100 + 20) / 200)


def test_a_schedule_is_true_to_itself():
    result = values(BY_HAND.with_columns(replayed_start_s="start_s"), 4)
    none = ("mean_wait_error", "start_error_median_s", "start_error_p90_s", "discordant_pairs", "wait_distance_s")
    assert [result[name] for name in none] == [0] * len(none)
    assert result["near_starts"] == 1
    assert result["utilisation_measured"] == result["utilisation_replayed"]


def test_what_does_not_exist_is_null():
    result = values(table((5, 1, 5, 10, 7)), 2)
    assert {name for name, value in result.items() if value is None} == {
        "mean_wait_error",
        "discordant_pairs",
        "discordant_queued",
        "utilisation_measured",
        "utilisation_replayed",
    }


@pytest.mark.parametrize(
    "jobs, half, sentence",
    [
        (table(), None, "no job was submitted in the log"),
        (table((5, 1, 5, 10, 7)), 1, "no job was submitted in half 1 of the log"),
        (table((0, 1, 0, 5, 0), (0, 1, 0, 5, None)), None, "replayed_start_s is None in row 2; it must be a finite"),
        (table((0, 1, float("nan"), 5, 0)), None, "start_s is nan in row 1"),
        (table((5, 1, 5, 10, 7)), 3, "half is 3; it must be 1, 2 or null"),
    ],
)
def test_refusals(jobs, half, sentence):
    with pytest.raises(ValueError, match=sentence):
        fidelity.measures(jobs, 4, half)


@pytest.mark.parametrize("seed", range(30))
def test_discordant_pairs_are_those_of_brute_force_and_of_kendalls_tau(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 60))
    first, second = (rng.integers(0, int(rng.integers(2, 80)), n) * 0.5 for _ in range(2))
    i, j = np.triu_indices(n, 1)
    discordant = ((first[i] - first[j]) * (second[i] - second[j]) < 0).sum()
    counted_pairs = fidelity.discordant_pairs(first, second) * len(i)
    assert counted_pairs == pytest.approx(discordant)
    tied_first, tied_second = first[i] == first[j], second[i] == second[j]
    if not (tied_first.all() or tied_second.all()):
        tau = stats.kendalltau(first, second, variant="b").statistic
        difference = tau * np.sqrt(float((~tied_first).sum()) * float((~tied_second).sum()))
        assert counted_pairs == pytest.approx(((~tied_first & ~tied_second).sum() - difference) / 2)


@pytest.mark.parametrize("seed", range(40))
def test_discordant_pairs_of_those_that_wait_together_are_those_of_brute_force(seed):
    rng = np.random.default_rng(seed)
    n, span = int(rng.integers(2, 60)), int(rng.integers(3, 120))
    submit = rng.integers(0, span, n)
    first, second = (submit + rng.integers(0, 25, n) * rng.integers(0, 2, n) for _ in range(2))
    i, j = np.triu_indices(n, 1)
    together = (submit[i] < first[j]) & (submit[j] < first[i])
    discordant = together & ((first[i] - first[j]) * (second[i] - second[j]) < 0)
    share = fidelity.discordant_queued(submit.astype(float), first.astype(float), second.astype(float))
    assert share == (None if not together.any() else pytest.approx(discordant.sum() / together.sum()))


def test_given_starts_use_the_machine_and_are_not_compared():
    jobs = BY_HAND.with_columns(given=pl.Series([True, False, False, False]), end_s=pl.Series([30.0, 60, 130, 150]))
    result = values(jobs, 4)
    assert result["mean_wait_measured_s"] == pytest.approx(130 / 3)
    # The log is known from 30 s on, and the second runs until 60 s: on 2 of 4 nodes.
    assert result["utilisation_measured"] == pytest.approx(2 * 30 / (4 * 70))
    assert values(jobs, 4, 1)["mean_wait_measured_s"] == pytest.approx((10 + 90) / 2)
    assert values(jobs, 4, 2)["mean_wait_measured_s"] == 30


def test_inversions_of_whole_orders():
    assert fidelity.inversions(np.arange(1000)) == 0
    assert fidelity.inversions(np.arange(1000)[::-1]) == 1000 * 999 // 2
    assert fidelity.inversions(np.zeros(5, int)) == 0
    assert fidelity.inversions(np.array([], int)) == 0


@pytest.mark.parametrize("seed", range(5))
def test_a_random_schedule_against_counting_second_by_second(seed):
    rng = np.random.default_rng(seed)
    submit, run, nodes = np.sort(rng.integers(0, 200, 40)), rng.integers(1, 60, 40), rng.integers(1, 9, 40)
    start, replayed = submit + rng.integers(0, 90, 40), submit + rng.integers(0, 90, 40)
    frame = pl.DataFrame(dict(zip(fidelity.COLUMNS, (submit, nodes, start, start + run, replayed), strict=True)))
    result = values(frame, 64)
    seconds = np.arange(submit[0], submit[-1])
    for name, begin in (("utilisation_measured", start), ("utilisation_replayed", replayed)):
        busy = sum(((begin <= t) & (t < begin + run)) @ nodes for t in seconds)
        assert result[name] == pytest.approx(busy / (64 * len(seconds)))
    gap = np.abs(np.sort(start - submit) - np.sort(replayed - submit)).mean()
    assert result["wait_distance_s"] == pytest.approx(gap)
    assert values(frame.sample(fraction=1, shuffle=True, seed=seed), 64) == pytest.approx(result)
