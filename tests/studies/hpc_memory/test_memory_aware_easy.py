"""memory_aware_easy on schedules computed by hand: expected run times, expected throughput, and the head's promise."""

import pytest
from hpc_memory_cases import compiled, machine
from hpc_memory_slow import Job


def flat(job_id, submit, nodes, duration, memory=0):
    """A job of one phase without a walltime: its longest run time is twice its duration (alpha = 1/2)."""
    return Job(job_id, submit, nodes, ((duration, memory),))


def test_backfills_by_the_run_time_that_is_expected(schedule):
    """Job 3 ends at 30 at worst and at 15 as expected; the shadow time of job 2 is 20."""
    jobs = [flat(1, 0, 3, 10), flat(2, 0, 4, 2), flat(3, 0, 1, 15)]
    schedule(jobs, machine(4, 0, "unlimited"), {1: (0, 10), 2: (10, 12), 3: (12, 27)})
    expected = {1: (0, 10), 2: (15, 17), 3: (0, 15)}
    schedule(jobs, machine(4, 0, "unlimited", backfilling="memory_aware_easy"), expected)


def test_expects_the_speed_that_the_nodes_share_allows(schedule):
    """2 GB a node of the 8 that job 3 needs: speed 5/8, so 16 s of work take 25.6 s, more than the 20 of the shadow."""
    jobs = [flat(1, 0, 3, 10), flat(2, 0, 4, 2), flat(3, 0, 1, 16, 8)]
    expected = {1: (0, 10), 2: (10, 12), 3: (12, 12 + 25.6)}
    schedule(jobs, machine(4, 8, "aggregated", backfilling="memory_aware_easy"), expected)
    # at 12 s of work it is expected after 19.2 s and may pass job 2
    jobs[2] = flat(3, 0, 1, 12, 8)
    expected = {1: (0, 10), 2: (19.2, 21.2), 3: (0, 19.2)}
    schedule(jobs, machine(4, 8, "aggregated", backfilling="memory_aware_easy"), expected)


def test_a_walltime_that_is_given_is_what_is_expected(schedule):
    jobs = [flat(1, 0, 3, 10), flat(2, 0, 4, 2), Job(3, 0, 1, ((15, 0),), walltime=21)]
    expected = {1: (0, 10), 2: (10, 12), 3: (12, 27)}
    schedule(jobs, machine(4, 0, "unlimited", backfilling="memory_aware_easy"), expected)


def test_starts_what_adds_most_throughput_in_the_memory_left(schedule):
    """4 of 8 GB are left: job 3 (8 GB) would run at 3/4 on its two nodes, job 4 (4 GB) at full speed."""
    jobs = [flat(1, 0, 2, 10, 2), flat(2, 0, 4, 2), flat(3, 0, 2, 3, 4), flat(4, 0, 2, 3, 2)]
    expected = {1: (0, 10), 4: (0, 3), 3: (3, 7), 2: (10, 12)}
    schedule(jobs, machine(4, 8, "aggregated", backfilling="memory_aware_easy"), expected)
    expected = {1: (0, 10), 3: (0, 4), 4: (4, 7), 2: (10, 12)}
    schedule(jobs, machine(4, 8, "aggregated"), expected)


def test_of_equal_throughput_the_first_in_the_queue_starts(schedule):
    jobs = [flat(1, 0, 3, 10), flat(2, 0, 4, 2), flat(3, 0, 1, 3), flat(4, 0, 1, 2)]
    expected = {1: (0, 10), 3: (0, 3), 4: (3, 5), 2: (10, 12)}
    schedule(jobs, machine(4, 0, "unlimited", backfilling="memory_aware_easy"), expected)


def test_the_promise_to_the_head_does_not_move(schedule):
    """Job 3 passes job 2, which was promised 8; its own longest run makes the shadow time 12, but job 4 has to wait."""
    jobs = [flat(1, 0, 2, 4), flat(2, 0, 4, 2), flat(3, 0, 2, 6), flat(4, 1, 2, 5)]
    expected = {1: (0, 4), 3: (0, 6), 2: (6, 8), 4: (8, 13)}
    schedule(jobs, machine(4, 0, "unlimited", backfilling="memory_aware_easy"), expected)


@pytest.mark.parametrize("scheduler", ["unlimited", "priority", "cost_aware"])
def test_a_stream_of_small_jobs_does_not_starve_the_head(scheduler):
    """The head was promised 8. What passed it until then has ended by 8 + 12, the longest run of the small jobs."""
    jobs = [flat(0, 0, 2, 4), flat(1, 0, 4, 1), *(flat(k, (k - 2) / 4, 2, 6, 4) for k in range(2, 200))]
    starts, _, _ = compiled([(jobs, machine(4, 8, scheduler, backfilling="memory_aware_easy"))])[0]
    assert 4 < starts[1] <= 20
    assert len(starts) == len(jobs)
