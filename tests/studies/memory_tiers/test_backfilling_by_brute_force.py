"""EASY over two resources by its definition: of the jobs behind the head, each that fits starts if, and only if, the
earliest time at which the head could start stays the same. Cases are small; every pass of a replay is checked.
"""

from random import Random

import memory_tiers_slow as slow
import polars as pl
import pytest
from memory_tiers_cases import random_jobs, scenario, tables
from memory_tiers_slow import Machine

from pipeline.studies import memory_tiers


def earliest(nodes, pool, ends, needs, now):
    """Earliest time at which nodes and pool suffice, jobs ending at their limits; times in the past are past."""
    for time in sorted([float("-inf"), *(end for end, _, _ in ends)]):
        free = nodes + sum(n for end, n, _ in ends if end <= time), pool + sum(p for end, _, p in ends if end <= time)
        if free[0] >= needs[0] and free[1] >= needs[1]:
            return time
    raise AssertionError("the head can never start")


def by_brute_force(queue, running, plans, asked, machine, now):
    """Jobs that start now."""
    ends = [(run.start + run.job.limit, run.nodes, run.held) for run in running]
    free = [machine.nodes - sum(n for _, n, _ in ends), machine.pool - sum(p for _, _, p in ends)]
    starts, head = [], None
    for job in queue:
        takes = plans[job.id][0], asked[job.id]
        fits = takes[0] <= free[0] and takes[1] <= free[1]
        after = [*ends, (now + job.limit, *takes)], (free[0] - takes[0], free[1] - takes[1])
        if head is None and not fits:
            head = takes
        elif fits and (head is None or earliest(*after[1], after[0], head, now) <= earliest(*free, ends, head, now)):
            starts.append(job)
            ends, free = after
    return starts


@pytest.mark.parametrize("policy", ["static_pool", "static_used", "all_local", "dynamic_pool"])
def test_a_job_is_backfilled_if_and_only_if_the_head_could_start_as_early(policy, monkeypatch):
    monkeypatch.setattr(slow, "chosen", by_brute_force)
    rng = Random(policy)
    jobs = {f"w{k}": random_jobs(rng, 5, rng.randint(3, 9)) for k in range(150)}
    machines = {name: Machine(5, rng.choice((0, 0.5, 1)), 5 * rng.choice((1, 2)), 0.25) for name in jobs}
    rows = pl.DataFrame([scenario(name, name, policy, machine) for name, machine in machines.items()])
    outcomes = memory_tiers.replay(tables(jobs), rows)["outcomes"].drop_nulls("start_s")
    expected = {name: slow.replay(policy, jobs[name], machines[name])[0] for name in jobs}
    overtaken = 0
    for name, job, start in outcomes.select("scenario_id", "job_id", "start_s").iter_rows():
        assert start == pytest.approx(expected[name][job][0]), (name, job)
        overtaken += any(
            other.submit < jobs[name][job].submit
            and not isinstance(expected[name][other.id], str)
            and expected[name][other.id][0] > start + 1e-6
            for other in jobs[name]
        )
    assert overtaken > 20
