"""The search for the best schedule against brute force, the bounds, and every scheduler."""

import itertools
from fractions import Fraction
from random import Random

import numpy as np
import polars as pl
import pytest
from pim_ranks_cases import RIGID, compiled, random_jobs, random_world, scenario_table, tables
from pim_ranks_slow import Scenario

from pipeline.studies import pim_ranks
from pipeline.studies.pim_ranks.rules import OBJECTIVES
from pipeline.studies.pim_ranks.schedulers import optimal


def placed(order, ranks, release, times, R):
    """Ends of jobs placed one after the other, each as early as its ranks are free for its whole length."""
    done = {}
    for j in order:
        length = times[j][ranks[j] - 1]
        for start in sorted({release[j], *(end for _, end, _ in done.values() if end > release[j])}):
            edges = [start, *(s for s, _, _ in done.values() if start < s < start + length)]
            used = [sum(r for s, e, r in done.values() if s <= t < e) for t in edges]
            if max(used) + ranks[j] <= R:
                done[j] = (start, start + length, ranks[j])
                break
    return {j: end for j, (_, end, _) in done.items()}


def brute_force(release, times, R):
    """Least makespan and least mean turnaround over all orders and rank counts: one of them gives a best schedule."""
    jobs = range(len(times))
    span, turnaround = np.inf, np.inf
    for ranks in itertools.product(range(1, R + 1), repeat=len(times)):
        for order in itertools.permutations(jobs):
            ends = placed(order, ranks, release, times, R)
            span = min(span, max(ends.values()))
            turnaround = min(turnaround, sum(ends[j] - release[j] for j in jobs) / len(times))
    return span, turnaround


@pytest.mark.parametrize("seed", range(6))
def test_brute_force_finds_nothing_better(seed):
    rng = Random(seed)
    R, jobs = 4, rng.choice((2, 3, 3))
    world = random_world(rng, R, dyadic=seed % 2 == 0)
    queue = random_jobs(rng, dyadic=True, most=jobs)
    release = [float(job.arrival - min(j.arrival for j in queue)) for job in queue]
    times = [[float(t) for t in world.times[job.app]] for job in queue]
    span, turnaround = brute_force(release, times, R)
    rows = scenario_table({k: ("w", Scenario("optimal", R)) for k in OBJECTIVES})
    rows = rows.with_columns(objective=pl.col("scenario_id"))
    metrics = pim_ranks.replay(tables(world, {"w": queue}), rows)["metrics"]
    value = {(s, m): v for s, m, v in metrics.iter_rows()}
    assert value["makespan", "makespan_s"] == pytest.approx(span, rel=1e-6)
    assert value["att", "att_s"] == pytest.approx(turnaround, rel=1e-6)
    assert value["att", "makespan_s"] >= value["makespan", "makespan_s"] * (1 - 1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_bounds_optimum_and_schedulers_stand_in_their_order(seed):
    """lower bound <= optimum <= every scheduler without overhead <= all jobs one after the other at their slowest."""
    rng = Random(100 + seed)
    world = random_world(rng, 6, dyadic=False)
    queue = random_jobs(rng, dyadic=False, most=5)
    schedulers = ("optimal", *RIGID)
    results = compiled(world, [(queue, Scenario(name, 6)) for name in schedulers])
    spans = {name: metrics["makespan_s"] for name, (_, metrics) in zip(schedulers, results, strict=True)}
    bound = results[0][1]["makespan_lower_bound_s"]
    last = max(job.arrival for job in queue) - min(job.arrival for job in queue)
    trivial = float(last + sum(max(world.times[job.app]) for job in queue))
    assert bound <= spans["optimal"] * (1 + 1e-9)
    assert all(spans["optimal"] <= span * (1 + 1e-6) for span in spans.values())
    assert all(span <= trivial * (1 + 1e-9) for span in spans.values())


def test_the_bound_is_the_larger_of_area_and_critical_path():
    """Two jobs of 8 rank-s at least on 4 ranks: 4 s; the third comes at 10 and takes 3 s at least: 13 s."""
    release, area, path = [0, 0, 10], Fraction(8), Fraction(3)
    world = random_world(Random(1), 4, dyadic=True)
    world.times["A"] = [area, Fraction(4), Fraction(4), Fraction(4)]
    world.times["B"] = [Fraction(9), path, Fraction(5), Fraction(6)]
    from pim_ranks_slow import Job

    both = [Job(k, app, Fraction(t)) for k, (app, t) in enumerate(zip("AAB", release, strict=True))]
    for jobs, bound in (
        (both, 13.0),
        (both[:2], 4.0),
        (both[2:], 3.0),
        ([*both[:2], *(Job(k, "A") for k in (7, 8))], 8.0),
    ):
        assert compiled(world, [(jobs, Scenario("se_full", 4))])[0][1]["makespan_lower_bound_s"] == bound


def test_the_search_is_the_same_whatever_the_order_of_rows_and_repeats():
    rng = Random(5)
    world, queue = random_world(rng, 8, dyadic=False), random_jobs(rng, dyadic=True, most=6)
    once, again = (compiled(world, [(jobs, Scenario("optimal", 8))]) for jobs in (queue, queue[::-1]))
    assert once == again


def random_instance(seed):
    """Release and times of two or three jobs that do not come all at once; integers, thirds or any numbers."""
    rng = Random(seed)
    R, jobs = rng.choice((2, 3)), rng.choice((2, 3))
    drawn = (
        lambda: float(rng.randint(1, 30)),
        lambda: rng.randint(2, 60) / rng.choice((1, 2, 3)),
        lambda: rng.uniform(1, 30),
    )[seed % 3]
    later = rng.choice((1.0, 1.0, 1e4))
    release = np.array([rng.choice((0, 0, rng.randint(0, 20), rng.uniform(0, 40))) * later for _ in range(jobs)])
    return release - release.min(), np.array([[drawn() for _ in range(R)] for _ in range(jobs)])


@pytest.mark.slow
def test_brute_force_agrees_on_many_tiny_sets_whose_jobs_come_one_after_the_other():
    for seed in range(80):
        release, times = random_instance(seed)
        best = dict(zip(OBJECTIVES, brute_force(release.tolist(), times.tolist(), times.shape[1]), strict=True))
        for objective, least in best.items():
            solution = optimal.rule(release, times, objective)
            end = solution.start_s + times[np.arange(len(times)), solution.ranks - 1]
            cost = end.max() if objective == "makespan" else (end - release).mean()
            assert cost == pytest.approx(least, rel=1e-6), (seed, objective)


ROUNDED = (
    ([3.0, 0, 0, 0], [[14, 16, 17 / 3], [17, 5.5, 52 / 3], [28, 7.5, 7], [27, 6.5, 22 / 3]]),
    (
        [1.0, 0, 0, 0],
        [
            [11.036386521748383, 4.830154277109493],
            [27.076403900183657, 19.938061859472697],
            [22.15617324350268, 21.545831449664945],
            [21.101113452656378, 24.66210970762526],
        ],
    ),
)
"""Sets whose best solution the solver finds within its tolerance, and refuses in its last check by rounding."""


@pytest.mark.parametrize(("release", "times"), ROUNDED)
def test_a_solution_that_the_solver_refuses_by_rounding_is_found_in_another_unit(release, times):
    release, times = np.array(release), np.array(times, float)
    solution = optimal.rule(release, times, "makespan")
    span, _ = brute_force(release.tolist(), times.tolist(), times.shape[1])
    assert max(solution.start_s + times[np.arange(4), solution.ranks - 1]) == pytest.approx(span, rel=1e-6)


def test_where_the_solver_proves_nothing_there_is_the_bound_and_a_null_with_its_reason(monkeypatch):
    rng = Random(4)
    world, queue = random_world(rng, 3, dyadic=False), random_jobs(rng, dyadic=True, most=4)
    rows = scenario_table({"best": ("w", Scenario("optimal", 3)), "other": ("w", Scenario("pim_care", 3))})
    proven = pim_ranks.replay(tables(world, {"w": queue}), rows)
    failed = optimal.scipy.optimize.OptimizeResult(x=None, status=4, message="HiGHS Status 4: Solve error")
    monkeypatch.setattr(optimal.scipy.optimize, "milp", lambda *_, **__: failed)
    result = pim_ranks.replay(tables(world, {"w": queue}), rows)
    of_search = result["outcomes"].filter(scenario_id="best")
    assert len(of_search) == len(queue)
    assert of_search["rejected"].unique().to_list() == ["no_optimum_proven"]
    assert of_search.select("ranks", "start_s", "end_s", "freed_s").null_count().row(0) == (len(queue),) * 4
    before, after = (
        dict(r["metrics"].filter(scenario_id="best").select("metric", "value").iter_rows()) for r in (proven, result)
    )
    assert after["makespan_s"] is None and before["makespan_s"] is not None
    assert after["makespan_lower_bound_s"] == before["makespan_lower_bound_s"] > 0
    assert after["rejected_jobs"] == len(queue)
    for name in ("outcomes", "metrics"):
        others = (r[name].filter(scenario_id="other") for r in (proven, result))
        assert next(others).equals(next(others))
