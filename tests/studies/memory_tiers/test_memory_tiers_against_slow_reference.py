"""The engine gives the schedules of a second one, written from the model page in plain Python."""

from random import Random

import polars as pl
import pytest
from memory_tiers_cases import random_jobs, scenario, tables
from memory_tiers_slow import POLICIES, SHARED, Machine, replay

from pipeline.studies import memory_tiers

QUEUES = [("easy", 1), ("fcfs", 1), ("reserve", 0), ("reserve", 1), ("reserve", 2), ("reserve", -1)]
CASES = [(policy, "wait") for policy in POLICIES] + [("dynamic_pool", "requeue")]


@pytest.mark.parametrize("backfilling, depth", QUEUES)
@pytest.mark.parametrize("policy, growth", CASES)
def test_schedules_are_those_of_the_reference(policy, growth, backfilling, depth):
    rng = Random(f"{policy} {growth} {backfilling} {depth}")
    workloads, machines = {}, {}
    for k in range(120):
        workloads[f"w{k}"] = random_jobs(rng, 6, rng.randint(1, 14))
        local, pool = rng.choice((0, 0.5, 1, 2)), 6 * rng.choice((0.5, 1, 2))
        tau = rng.choice((0, 1, 2.5)) if policy in SHARED else 0
        machines[f"w{k}"] = Machine(6, local, pool, 0.25, backfilling, depth, growth, float(tau))
    rows = pl.DataFrame([scenario(name, name, policy, machine) for name, machine in machines.items()])
    result = memory_tiers.replay(tables(workloads), rows)
    metrics = {
        name: dict(metric_rows.select("scenario_id", "value").iter_rows())
        for (name,), metric_rows in result["metrics"].group_by("metric")
    }
    ran = put_back = 0
    for name, jobs in workloads.items():
        expected, held, lost = replay(policy, jobs, machines[name])
        assert all(nodes <= 6 and pool <= machines[name].pool for _, nodes, pool in held)
        if policy not in SHARED:
            peak = max((pool for _, _, pool in held), default=0)
            assert metrics["pool_peak_gb"][name] == pytest.approx(float(peak))
        assert metrics["requeued_jobs"][name] == len(lost)
        work = sum(job.nodes * sum(s for s, _ in job.phases) for job in jobs)
        assert metrics["lost_work"][name] == pytest.approx(sum(lost.get(job.id, 0) * job.nodes for job in jobs) / work)
        put_back += len(lost)
        for job, start, end, rejected in (
            result["outcomes"].filter(scenario_id=name).select("job_id", "start_s", "end_s", "rejected").iter_rows()
        ):
            if isinstance(expected[job], str):
                assert (start, end, rejected) == (None, None, expected[job])
            else:
                ran += 1
                assert (start, end) == pytest.approx(expected[job]), (name, job)
    assert ran > 100
    assert (put_back > 5) == (growth == "requeue")


@pytest.mark.parametrize("policy", POLICIES)
def test_one_reservation_is_easy(policy):
    rng = Random(policy)
    inputs = tables({f"w{k}": random_jobs(rng, 6, 20) for k in range(150)})
    outcomes = []
    for backfilling in ("easy", "reserve"):
        machine = Machine(6, 0.5, 6, 0.25, backfilling)
        rows = [scenario(name, name, policy, machine) for name in inputs["jobs"]["workload_id"].unique().sort()]
        outcomes.append(memory_tiers.replay(inputs, pl.DataFrame(rows))["outcomes"])
    assert outcomes[0].equals(outcomes[1])
