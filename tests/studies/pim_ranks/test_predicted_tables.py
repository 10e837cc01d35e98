"""Schedulers that decide by predicted tables, while jobs run by the true ones."""

from fractions import Fraction
from random import Random

import pim_ranks_slow as slow
import polars as pl
import pytest
from pim_ranks_cases import RIGID, compiled, random_jobs, random_scenario, random_world, scenario_table, tables
from pim_ranks_slow import Job, Scenario, World

from pipeline.studies import pim_ranks


@pytest.mark.slow
@pytest.mark.parametrize("dyadic", [True, False], ids=["full of ties", "in general position"])
@pytest.mark.parametrize("scheduler", ["pim_care", "care_floor"])
def test_schedules_by_wrong_predictions_equal_the_slow_reference(scheduler, dyadic):
    rng = Random(f"predicted {scheduler} {dyadic}")
    for _ in range(12):
        ranks = rng.randint(2, 9)
        world = random_world(rng, ranks, dyadic=dyadic)
        world.predicted = random_world(rng, ranks, dyadic=dyadic).times
        cases = [(random_jobs(rng, dyadic=dyadic), random_scenario(rng, scheduler, ranks)) for _ in range(8)]
        for (jobs, scenario), (runs, _) in zip(cases, compiled(world, cases), strict=True):
            expected = slow.replay(world, jobs, scenario)
            for job_id, (granted, start, end, _freed) in runs.items():
                right = expected[job_id]
                assert (granted, start, end) == (
                    right.ranks,
                    pytest.approx(float(right.start), abs=1e-9),
                    pytest.approx(float(right.end), abs=1e-9),
                ), f"job {job_id}\n{scenario}\n{jobs}\n{world}"


@pytest.mark.parametrize("scheduler", [*RIGID, "optimal"])
def test_true_predictions_change_nothing(scheduler):
    rng = Random(f"true {scheduler}")
    world, jobs = random_world(rng, 6, dyadic=False), random_jobs(rng, dyadic=False, most=5)
    rows = scenario_table({"s": ("w", Scenario(scheduler, 6))})
    without = pim_ranks.replay(tables(world, {"w": jobs}), rows)
    world.predicted = world.times
    given = pim_ranks.replay(tables(world, {"w": jobs}), rows)
    assert all(given[name].equals(without[name]) for name in without)


def test_priorities_by_hand():
    """Four ranks, of which A holds three for 4 s; B and C want two each, and one rank is left over.

    In truth B gains half its speed from one rank and C all of it; by the predictions it is the other way round, so B
    starts on that rank in the place of C, and takes as long as it takes.
    """
    times = {"A": [9, 9, 4, 9], "B": [8, 4, 4, 4], "C": [4, 4, 4, 4]}
    best = {"A": 3, "B": 2, "C": 2}
    swapped = times | {"B": times["C"], "C": times["B"]}
    jobs = [Job(1, "A"), Job(2, "C"), Job(3, "B")]
    for predicted, first, end in ((None, 2, 4), (swapped, 3, 8)):
        world = World({app: [Fraction(t) for t in its] for app, its in times.items()}, best, predicted=predicted)
        ((runs, _),) = compiled(world, [(jobs, Scenario("pim_care", 4))])
        assert runs[first][:3] == (1, 0.0, float(end))


def test_predictions_with_a_hole_are_refused_by_their_name():
    rng = Random(1)
    world, jobs = random_world(rng, 4, dyadic=True), random_jobs(rng, dyadic=True, most=4)
    world.predicted = world.times
    inputs = tables(world, {"w": jobs})
    rows = scenario_table({"s": ("w", Scenario("pim_care", 4))})
    with pytest.raises(ValueError, match=r"predicted_perf_tables: app .* has no time_s on 3 ranks"):
        pim_ranks.replay(
            inputs | {"predicted_perf_tables": inputs["predicted_perf_tables"].filter(pl.col("ranks") != 3)}, rows
        )
    wrong = inputs["predicted_perf_tables"].with_columns(time_s=pl.lit(0.0))
    with pytest.raises(ValueError, match="predicted_perf_tables"):
        pim_ranks.replay(inputs | {"predicted_perf_tables": wrong}, rows)
