"""The compiled replay against the slow one, on random cases over every option."""

from fractions import Fraction
from random import Random

import pim_ranks_slow as slow
import pytest
from pim_ranks_cases import RIGID, VIRTUAL, compiled, random_jobs, random_scenario, random_world

WORLDS = 25  # a scheduler; each with SCENARIOS scenarios
SCENARIOS = 12


@pytest.mark.slow
@pytest.mark.parametrize("dyadic", [True, False], ids=["full of ties", "in general position"])
@pytest.mark.parametrize("scheduler", RIGID + VIRTUAL)
def test_same_schedules_and_measures(scheduler, dyadic):
    rng = Random(f"{scheduler} {dyadic}")
    for _ in range(WORLDS):
        ranks = rng.randint(1, 9)
        world = random_world(rng, ranks, dyadic=dyadic)
        cases = [
            (random_jobs(rng, dyadic=dyadic), random_scenario(rng, scheduler, rng.choice((ranks, max(1, ranks - 2)))))
            for _ in range(SCENARIOS)
        ]
        for (jobs, scenario), (runs, metrics) in zip(cases, compiled(world, cases), strict=True):
            expected = slow.replay(world, jobs, scenario)
            case = f"{scenario}\n{jobs}\n{world}"
            assert runs.keys() == expected.keys(), case
            for job_id, (granted, start, end, freed) in runs.items():
                right = expected[job_id]
                assert granted == right.ranks, f"job {job_id}\n{case}"
                assert start == pytest.approx(float(right.start), rel=1e-9, abs=1e-9), f"job {job_id}\n{case}"
                assert end == pytest.approx(float(right.end), rel=1e-9, abs=1e-9), f"job {job_id}\n{case}"
                held_until = right.end if right.freed is None else right.freed
                assert freed == pytest.approx(float(held_until), rel=1e-9, abs=1e-9), f"job {job_id}\n{case}"
            assert_measures(metrics, expected, world, jobs, scenario, case)


def assert_measures(metrics, expected, world, jobs, scenario, case):
    origin = min(job.arrival for job in jobs)
    arrival = {job.job_id: job.arrival for job in jobs}
    assert metrics["rejected_jobs"] == len(jobs) - len(expected), case
    if not expected:
        assert metrics["makespan_s"] is metrics["att_s"] is metrics["throughput_per_s"] is None
        return
    makespan = max(run.end for run in expected.values()) - origin
    turnaround = sum(run.end - arrival[job_id] for job_id, run in expected.items()) / Fraction(len(expected))
    assert metrics["makespan_s"] == pytest.approx(float(makespan)), case
    assert metrics["att_s"] == pytest.approx(float(turnaround)), case
    assert metrics["throughput_per_s"] == pytest.approx(float(len(expected) / makespan)), case
    if scenario.scheduler in RIGID:
        held = sum(run.ranks * (run.end - run.start) for run in expected.values())
        assert metrics["rank_utilisation"] == pytest.approx(float(held / (scenario.ranks * makespan))), case
        assert metrics["overhead_share"] == pytest.approx(float(scenario.overhead)), case
        assert metrics["makespan_lower_bound_s"] <= makespan * (1 + Fraction(1, 10**9)), case
    else:
        virtual = slow.VirtualPim(world, jobs, scenario)
        held = 0
        for job in jobs:
            if job.job_id in expected:
                held += world.requests[job.app] * sum(s for kind, s in virtual.steps(job.app) if kind != "host")
        assert metrics["rank_utilisation"] == pytest.approx(float(held / (scenario.ranks * makespan))), case
        assert metrics["makespan_lower_bound_s"] is None
