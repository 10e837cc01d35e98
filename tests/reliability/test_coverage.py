"""The trial of coverage sees every interval of the database, and sees a wrong one."""

import numpy as np
import pytest
from scipy import stats

from pipeline.warehouse.definitions import MACROS, VIEWS, definitions
from reliability import simulated_views
from reliability.simulated_views import Interval
from reliability.trials import coverage

RNG_SEED = 5


def test_every_view_that_computes_an_interval_is_simulated():
    computing = {d.name for d in definitions(*VIEWS, *MACROS) if "stddev_samp" in d.text or "z * sqrt(" in d.text}
    assert computing == {interval.view for interval in simulated_views.intervals()}


@pytest.mark.parametrize("interval", simulated_views.intervals(), ids=lambda interval: interval.name)
def test_an_interval_is_scipys(interval):
    replicates = 7
    rng = np.random.default_rng(RNG_SEED)
    x, common = rng.normal(0.3, 0.2, (20, replicates)), rng.uniform(2, 3, (20, replicates))
    half = stats.t.ppf(0.975, replicates - 1) * stats.sem(x, axis=1)
    theirs = np.column_stack([x.mean(axis=1) - half, x.mean(axis=1) + half])
    assert interval.estimates(x, common) == pytest.approx(interval.truth(theirs), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("part", "rows"), [("shares", 12), ("others", 3), ("verdicts", 17), ("choices", 5)])
def test_a_part_of_the_trial_holds_in_a_small_size(part, rows):
    _, held, table = getattr(coverage.Simulation(60, 3), part)()
    assert held, table
    assert len(table.rows) == rows


def test_intervals_with_the_normal_quantile_are_found_out(monkeypatch):
    def narrow(self, x, common):
        half = 1.96 * stats.sem(x, axis=1)
        return np.sort(self.truth(np.column_stack([x.mean(axis=1) - half, x.mean(axis=1) + half])), axis=1)

    monkeypatch.setattr(Interval, "estimates", narrow)
    _, held, table = coverage.Simulation(400, 1).means()
    assert not held
    # Student's t with four degrees of freedom lies within 1.96 in 87.8 % of cases.
    at_five = [float(row[3].split(" · ")[0]) for row in table.rows[:-1]]
    assert np.mean(at_five) == pytest.approx(100 * (2 * stats.t.cdf(1.96, 4) - 1), abs=1.5)


def test_wilson_is_judged_by_the_binomial_distribution():
    # Of one draw the interval of a success is [0.207, 1], that of a failure [0, 0.793].
    assert coverage.exact_wilson(0.9, 1) == pytest.approx(0.9)
    assert coverage.exact_wilson(0.5, 1) == pytest.approx(1.0)


def test_the_clearly_best_scheduler_is_recommended():
    rng = np.random.default_rng(RNG_SEED)
    values = np.array([0.7, 0.8, 0.75])[:, None] + rng.normal(0, 0.001, (4, 3, 6))
    said = simulated_views.recommendations(values)
    assert said["scheduler"].tolist() == [1] * 4
    assert said["runner_up"].tolist() == [2] * 4
    assert (said["margin_lo"] < said["margin_hi"]).all()


def test_the_smallest_memory_lies_between_sizes_whose_losses_are_beyond_doubt():
    losses = np.array([0.3, 0.2, 0.01, 0.0])[:, None] + np.random.default_rng(RNG_SEED).normal(0, 1e-4, (2, 4, 5))
    assert simulated_views.smallest_memory(losses, [100, 120, 140, 160], 0.05).tolist() == [[120, 140]] * 2
