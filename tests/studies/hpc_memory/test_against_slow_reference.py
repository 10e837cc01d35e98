"""The compiled replay against the slow one, on thousands of random small cases over every option."""

from random import Random

import hpc_memory_slow as slow
import pytest
from hpc_memory_cases import BACKFILLINGS, METRICS, SCHEDULERS, compiled, random_scenario, random_workload
from hpc_memory_slow import Job, Scenario

WORKLOADS = 200  # a scheduler; each under SCENARIOS scenarios
SCENARIOS = 5


def random_cases(seed, scheduler, *, dyadic, most_jobs=8):
    rng = Random(f"{seed} {scheduler}")
    cases = []
    for _ in range(WORKLOADS):
        nodes = rng.randint(1, 8)
        jobs = random_workload(rng, nodes, dyadic=dyadic, most_jobs=most_jobs)
        cases += [(jobs, random_scenario(rng, nodes, scheduler, dyadic=dyadic)) for _ in range(SCENARIOS)]
    return cases


def assert_agreement(cases, *, most_near_ties):
    """Equal schedules and metrics, except where EASY hung on a tie that rounding may turn either way."""
    near_ties = 0
    for (jobs, scenario), (starts, ends, metrics) in zip(cases, compiled(cases), strict=True):
        expected = slow.replay(jobs, scenario)
        if expected.near_tie:
            near_ties += 1
            continue
        case = f"{scenario}\n{jobs}"
        assert starts == pytest.approx(expected.starts, rel=1e-6, abs=1e-6), case
        assert ends == pytest.approx(expected.ends, rel=1e-6, abs=1e-6), case
        for name in METRICS:
            value = expected.metrics[name]
            assert (metrics[name] is None) == (value is None), f"{name}\n{case}"
            assert value is None or metrics[name] == pytest.approx(value, rel=1e-9, abs=1e-6), f"{name}\n{case}"
    assert near_ties <= most_near_ties * len(cases)


@pytest.mark.slow
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_cases_full_of_ties(scheduler):
    """Quarters of a second, whole gigabytes, powers of two: events, needs and estimates coincide all the time."""
    assert_agreement(random_cases(1, scheduler, dyadic=True), most_near_ties=0.03)


@pytest.mark.slow
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_cases_in_general_position(scheduler):
    assert_agreement(random_cases(2, scheduler, dyadic=False), most_near_ties=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_longer_queues(scheduler):
    assert_agreement(random_cases(3, scheduler, dyadic=True, most_jobs=24)[::10], most_near_ties=0.3)


@pytest.mark.slow
@pytest.mark.parametrize("backfilling", BACKFILLINGS)
def test_crowded_easy(backfilling):
    """Pure EASY on crowded machines with whole seconds: nearly every instant has several events."""
    assert_agreement(crowded_cases(backfilling), most_near_ties=0)


def crowded_cases(backfilling, workloads=2000):
    cases = []
    for seed in range(workloads):
        rng = Random(seed)
        nodes = rng.randint(2, 6)
        jobs = []
        for job_id in range(rng.randint(5, 12)):
            duration = rng.randint(1, 4)
            walltime = duration + rng.choice((0, 0, 1, 2, 5, -0.5))
            size = rng.choice((1, 1, rng.randint(1, nodes), rng.randint(1, nodes)))
            jobs.append(Job(job_id, rng.randint(0, 6), size, ((duration, 0),), walltime))
        cases.append((jobs, Scenario(nodes, 0, "unlimited", 0.5, backfilling=backfilling)))
    return cases


@pytest.mark.slow
def test_slow_reference_in_floating_point_is_the_exact_one():
    """Rounding does not matter where no near tie is reported: the same schedules with fractions."""
    checked = 0
    for scheduler in SCHEDULERS:
        for jobs, scenario in random_cases(4, scheduler, dyadic=True, most_jobs=5)[:100]:
            rounded = slow.replay(jobs, scenario)
            if rounded.near_tie:
                continue
            precise = slow.replay(*slow.exact(jobs, scenario))
            assert rounded.starts == pytest.approx({k: float(v) for k, v in precise.starts.items()}, abs=1e-6)
            assert rounded.ends == pytest.approx({k: float(v) for k, v in precise.ends.items()}, abs=1e-6)
            # a finished job has done its T_opt of full-speed work on each node
            work = {job.job_id: job.nodes * job.full_speed_s for job in jobs if job.job_id in rounded.ends}
            assert precise.work.keys() == work.keys()
            assert all(abs(precise.work[k] - work[k]) < 1e-4 for k in work)
            checked += 1
    assert checked > 400
