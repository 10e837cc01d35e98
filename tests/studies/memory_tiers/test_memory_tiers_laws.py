"""What the model page says of machines with much memory, with none, and of jobs that the pool does not slow."""

from random import Random

import polars as pl
import pytest
from memory_tiers_cases import random_jobs, scenario, tables
from memory_tiers_slow import Job, Machine
from polars.testing import assert_frame_equal

from pipeline.studies import memory_tiers


def outcomes(inputs, policy, machine, **more):
    rows = [scenario(name, name, policy, machine) | more for name in inputs["jobs"]["workload_id"].unique().sort()]
    return memory_tiers.replay(inputs, pl.DataFrame(rows, infer_schema_length=None))["outcomes"]


@pytest.fixture(scope="module")
def jobs():
    rng = Random(5)
    return {f"w{k}": random_jobs(rng, 6, 12) for k in range(20)}


@pytest.mark.parametrize("policy", ["static_pool", "static_used", "dynamic_pool"])
def test_with_an_unlimited_pool_a_job_is_one_that_takes_longer(policy, jobs):
    """Slowed phases on a machine with all memory local give the same schedule."""
    machine = Machine(6, 1, 6, 0.25)
    slowed = {
        name: [
            Job(
                job.id, job.submit, job.nodes,
                [(s * (1 + job.beta * max(0, gb - 1) / gb) if gb else s, gb) for s, gb in job.phases],
                job.limit, job.request, 0,
            )
            for job in queue
        ]
        for name, queue in jobs.items()
    }  # fmt: skip
    ours = outcomes(tables(jobs), policy, machine, pool_per_node_gb=None)
    assert_frame_equal(ours, outcomes(tables(slowed), "all_local", machine), abs_tol=1e-9)


@pytest.mark.parametrize(
    "policy",
    ["requested_local", "requested_spread", "static_pool", "static_used", "dynamic_pool", "priority", "oldest_first"],
)
def test_with_enough_local_memory_all_are_alike(policy, jobs):
    machine = Machine(6, 100, 0, 0.25)
    assert outcomes(tables(jobs), policy, machine).equals(outcomes(tables(jobs), "all_local", machine))


def test_one_phase_a_job_leaves_nothing_to_share_while_running():
    rng = Random(8)
    inputs = tables({f"w{k}": random_jobs(rng, 6, 12, phases=1) for k in range(20)})
    machine = Machine(6, 0.5, 6, 0.25)
    assert outcomes(inputs, "dynamic_pool", machine).equals(outcomes(inputs, "static_used", machine))


def test_who_gets_what_by_hand():
    """Two nodes of 1 GB, a pool of 2 GB. A asks for 3 GB and uses 2; B asks for 2 and uses 2; C is small."""
    jobs = [
        Job(0, 0, 1, [(10, 2)], 10, 3, 1),
        Job(1, 1, 1, [(4, 2)], 4, 2, 1),
        Job(2, 2, 1, [(3, 1)], 3, 1, 1),
    ]
    inputs, machine = tables({"w": jobs}), Machine(2, 1, 2)

    def times(policy):
        return outcomes(inputs, policy, machine).sort("job_id").select("start_s", "end_s", "rejected").rows()

    # Half of A's memory is in the pool, so it takes half as long again; its request takes all of the pool.
    assert times("static_pool") == [(0, 15, None), (15, 21, None), (2, 5, None)]
    # By what it uses, B finds its GB.
    assert times("static_used") == [(0, 15, None), (1, 7, None), (7, 10, None)]
    assert times("requested_local") == [(None, None, "request_exceeds_node")] * 2 + [(2, 5, None)]
    # A takes three nodes of two; B takes both.
    assert times("requested_spread") == [(None, None, "larger_than_machine"), (1, 5, None), (5, 8, None)]


def test_a_job_that_lacks_memory_runs_slower_until_it_has_it():
    """No local memory, a pool of 3 GB. A needs 1, then 3; B holds 1 until 10. A lacks a third in its second phase."""
    jobs = [Job(0, 0, 1, [(4, 1), (6, 3)], 99, 3, 0), Job(1, 0, 1, [(10, 1)], 10, 1, 0)]
    result = outcomes(tables({"w": jobs}), "dynamic_pool", Machine(2, 0, 3, 0.25))
    speed = 0.25 + 0.75 * 2 / 3
    assert result["end_s"].to_list() == pytest.approx([10 + 6 - 6 * speed, 10])


def test_a_job_whose_growth_does_not_fit_is_put_back():
    """No local memory, a pool of 3 GB. A needs 1, then 3 at 4 s; B holds 1 until 10. C was released after A."""
    jobs = [
        Job(0, 0, 1, [(4, 1), (6, 3)], 99, 3, 0),
        Job(1, 0, 1, [(10, 1)], 10, 1, 0),
        Job(2, 5, 1, [(2, 0)], 2, 0, 0),
    ]
    rows = pl.DataFrame([scenario("s", "w", "dynamic_pool", Machine(2, 0, 3, 0.25, growth="requeue"))])
    result = memory_tiers.replay(tables({"w": jobs}), rows)
    # A waits at the head for all of the pool, begins anew at 10 and loses 4 s on one node.
    times = result["outcomes"].sort("job_id").select("start_s", "end_s").rows()
    assert times == [(10, 20), (0, 10), (5, 7)]
    measures = dict(result["metrics"].select("metric", "value").iter_rows())
    assert measures["requeued_jobs"] == 1 and measures["lost_work"] == pytest.approx(4 / (10 + 10 + 2))


def test_measures_by_hand():
    """One node, no warm-up left out: releases at 0 and 10; the second waits, and is counted alone."""
    jobs = [Job(0, 0, 1, [(20, 2)], 20, 2, 1), Job(1, 10, 1, [(10, 1)], 10, 1, 1)]
    rows = pl.DataFrame([scenario("s", "w", "static_used", Machine(1, 1, 1)) | {"spans": 1}])
    result = memory_tiers.replay(tables({"w": jobs}), rows)
    measures = dict(result["metrics"].select("metric", "value").iter_rows())
    # The first takes 30 s, so the second ends at 40 instead of 30 s.
    assert measures["steady_response_s"] == 30 and measures["steady_response_ratio"] == 1.5
    assert measures["steady_wait_s"] == 20 and measures["makespan_s"] == 40
    # From 1 to 10 s the first does two thirds of the work that it would do.
    assert measures["steady_utilisation"] == pytest.approx(2 / 3) and measures["steady_loss"] == pytest.approx(1 / 3)
    assert measures["pool_used"] == 30 / 40 and measures["pool_peak_gb"] == 1
    classes = result["classes"].select("sensitivity_class", "size", "jobs", "stretch", "slowdown", "local_slowdown")
    assert classes.rows() == [("high", "one_node", 1, 1.0, 3.0, 2.0)]


@pytest.mark.parametrize(
    "change, message",
    [
        ({"scheduler": "static_pol"}, r"unknown scheduler 'static_pol'.*static_pool"),
        ({"backfilling": "conservative"}, r"unknown backfilling 'conservative'; known: easy, fcfs, reserve"),
        ({"growth": "requeue"}, r"scenario 's': growth is requeue; it is read by dynamic_pool alone"),
        ({"reserve_depth": 3}, r"scenario 's': reserve_depth is 3; it is a parameter of backfilling reserve"),
        ({"local_per_node_gb": -1.0}, r"local_per_node_gb is -1.0 in row 1; it must be at least 0"),
        ({"workload_id": "v"}, r"unknown workload 'v'"),
    ],
)
def test_what_is_not_possible_is_said(change, message):
    inputs = tables({"w": [Job(0, 0, 1, [(1, 1)], 1, 1, 0)]})
    with pytest.raises(ValueError, match=message):
        memory_tiers.replay(inputs, pl.DataFrame([scenario("s", "w", "static_pool", Machine(1, 1, 1)) | change]))


def test_a_job_without_phases_is_named():
    inputs = tables({"w": [Job(0, 0, 1, [(1, 1)], 1, 1, 0), Job(5, 0, 1, [(1, 1)], 1, 1, 0)]})
    inputs["phases"] = inputs["phases"].filter(pl.col("job_id") != 5)
    with pytest.raises(ValueError, match="phases: job 5 has none"):
        memory_tiers.replay(inputs, pl.DataFrame([scenario("s", "w", "static_pool", Machine(1, 1, 1))]))
