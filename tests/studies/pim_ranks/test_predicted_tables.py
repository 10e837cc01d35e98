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
        world = World(
            {app: [Fraction(t) for t in app_times] for app, app_times in times.items()}, best, predicted=predicted
        )
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


def algorithm_1(times, ranks, ratio, threshold):
    """Predicted times on 1..ranks and best ranks, from the paper's lines: exact, and with no code of the package."""
    if ratio is None:
        table = list(times[:ranks])
    else:
        points = [*range(1, ranks, int(1 / ratio)), ranks]
        table = []
        for r in range(1, ranks + 1):
            left, right = max(p for p in points if p <= r), min(p for p in points if p >= r)
            share = Fraction(r - left, right - left) if right > left else Fraction(0)
            speed = (1 - share) / Fraction(times[left - 1]) + share / Fraction(times[right - 1])
            table.append(1 / speed)
    fastest = min(table)
    best = next(r for r, time in enumerate(table, 1) if fastest / time > threshold)
    return table, best


@pytest.mark.slow
@pytest.mark.parametrize("scheduler", [name for name in RIGID if name != "se_full"])
def test_profiled_schedules_equal_the_slow_reference_on_tables_of_algorithm_1(scheduler):
    rng = Random(f"profiled {scheduler}")
    for _ in range(10):
        ranks, ratio, threshold = (
            rng.randint(2, 12),
            rng.choice([None, 0.1, 0.2, 0.34, 0.5, 1.0]),
            rng.choice([None, 0.8]),
        )
        if ratio is threshold is None:
            threshold = 0.9
        world = random_world(rng, ranks, dyadic=False)
        made = {app: algorithm_1(times, ranks, ratio, threshold or 0.95) for app, times in world.times.items()}
        jobs, scenario = random_jobs(rng, dyadic=False), random_scenario(rng, scheduler, ranks)
        rows = scenario_table({"s": ("w", scenario)}).with_columns(
            profiling_ratio=pl.lit(ratio, pl.Float64), threshold=pl.lit(threshold, pl.Float64)
        )
        result = pim_ranks.replay(tables(world, {"w": jobs}), rows)
        known = World(world.times, {app: best for app, (_, best) in made.items()})
        known.predicted = {app: table for app, (table, _) in made.items()}
        expected = slow.replay(known, jobs, scenario)
        for job_id, granted, start, end in result["outcomes"].select("job_id", "ranks", "start_s", "end_s").iter_rows():
            right = expected[job_id]
            assert granted == right.ranks
            assert (start, end) == (
                pytest.approx(float(right.start), abs=1e-9),
                pytest.approx(float(right.end), abs=1e-9),
            )
        profiling = result["metrics"].filter(metric="profiling_s")["value"].to_list()
        if ratio is None:
            assert profiling == []
        else:
            points = [*range(1, ranks, int(1 / ratio)), ranks]
            apps = {job.app for job in jobs}
            assert profiling == [pytest.approx(float(sum(world.times[a][p - 1] for a in apps for p in points)))]


def test_a_profile_of_all_ranks_and_a_threshold_below_it_change_nothing_else():
    """All ranks profiled are all times known; what differs is best_ranks alone, which is given in `without`."""
    rng = Random("whole")
    world, jobs = random_world(rng, 6, dyadic=False), random_jobs(rng, dyadic=False, most=8)
    world.best = {app: algorithm_1(times, 6, None, 0.95)[1] for app, times in world.times.items()}
    rows = scenario_table({name: ("w", Scenario(name, 6)) for name in ("pim_care", "care_floor", "sm_opt_fcfs")})
    without = pim_ranks.replay(tables(world, {"w": jobs}), rows)
    profiled = pim_ranks.replay(tables(world, {"w": jobs}), rows.with_columns(profiling_ratio=1.0))
    assert profiled["outcomes"].equals(without["outcomes"])


def test_predictions_are_of_one_kind():
    rng = Random(2)
    world, jobs = random_world(rng, 4, dyadic=True), random_jobs(rng, dyadic=True, most=4)
    world.predicted = world.times
    rows = scenario_table({"s": ("w", Scenario("pim_care", 4))}).with_columns(threshold=0.9)
    with pytest.raises(ValueError, match="threshold makes predictions, and inputs has predicted_perf_tables"):
        pim_ranks.replay(tables(world, {"w": jobs}), rows)


@pytest.mark.parametrize(("name", "value"), [("profiling_ratio", 0.0), ("profiling_ratio", 1.5), ("threshold", 1.0)])
def test_parameters_out_of_range_are_refused(name, value):
    world, jobs = random_world(Random(3), 4, dyadic=True), [Job(1, "A")]
    rows = scenario_table({"s": ("w", Scenario("pim_care", 4))}).with_columns(pl.lit(value).alias(name))
    with pytest.raises(ValueError, match=f"{name} is {value}"):
        pim_ranks.replay(tables(world, {"w": jobs}), rows)
