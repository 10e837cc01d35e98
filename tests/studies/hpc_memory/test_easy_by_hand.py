"""EASY backfilling's rules, on schedules small enough to compute by hand (jobs without memory need)."""

from hpc_memory_cases import machine
from hpc_memory_slow import Job

TWO_ENDS = [
    Job(1, 0, 1, ((4, 0),), 5),
    Job(2, 0, 1, ((4, 0),), 8),
    Job(3, 1, 2, ((2, 0),), 2),
    Job(4, 2, 1, ((3, 0),), 3),
]


def test_two_ends_at_one_instant_share_a_pass(schedule):
    # 4: jobs 1 and 2 end, both nodes are free: job 3 starts, job 4 follows it.
    schedule(TWO_ENDS, machine(2, 0, "unlimited"), {1: (0, 4), 2: (0, 4), 3: (4, 6), 4: (6, 9)})


def test_two_ends_at_one_instant_each_have_a_pass_under_easy_per_event(schedule):
    # 4: after the end of job 1 one node is free and job 2 is expected at 8: job 4 (until 7) is backfilled.
    expected = {1: (0, 4), 2: (0, 4), 3: (7, 9), 4: (4, 7)}
    schedule(TWO_ENDS, machine(2, 0, "unlimited", backfilling="easy_per_event"), expected)


END_AND_RELEASE = [
    Job(1, 0, 1, ((4, 0),), 9),
    Job(2, 0, 1, ((4, 0),), 4),
    Job(3, 4, 2, ((1, 0),), 1),
    Job(4, 4, 1, ((3, 0),), 3),
]


def test_ends_and_releases_at_one_instant_share_a_pass(schedule):
    schedule(END_AND_RELEASE, machine(2, 0, "unlimited"), {1: (0, 4), 2: (0, 4), 3: (4, 5), 4: (5, 8)})


def test_release_comes_before_end_and_an_estimate_ending_now_counts_as_free(schedule):
    # 4: job 3 is released first: one node is free (the estimate of job 2 ends now), job 1 is expected at 9.
    #    job 4 is released: 4 + 3 <= 9, backfilled on the node of job 2. Then jobs 1 and 2 end; job 3 lacks a node.
    expected = {1: (0, 4), 2: (0, 4), 3: (7, 8), 4: (4, 7)}
    schedule(END_AND_RELEASE, machine(2, 0, "unlimited", backfilling="easy_per_event"), expected)


def test_an_estimate_ending_later_does_not_count_as_free_before_the_end(schedule):
    # As above with estimates 9 and 8: at the releases no node is free. Then job 1 ends (it started first): job 2 is
    # expected at 8, job 4 fits before it.
    jobs = [END_AND_RELEASE[0], Job(2, 0, 1, ((4, 0),), 8), *END_AND_RELEASE[2:]]
    expected = {1: (0, 4), 2: (0, 4), 3: (7, 8), 4: (4, 7)}
    schedule(jobs, machine(2, 0, "unlimited", backfilling="easy_per_event"), expected)
    # With an estimate of 6.5 job 4 would end after it, so job 2 ends too and job 3 goes first.
    jobs = [END_AND_RELEASE[0], Job(2, 0, 1, ((4, 0),), 6.5), *END_AND_RELEASE[2:]]
    expected = {1: (0, 4), 2: (0, 4), 3: (4, 5), 4: (5, 8)}
    schedule(jobs, machine(2, 0, "unlimited", backfilling="easy_per_event"), expected)


def test_jobs_end_in_the_order_they_started_under_easy_per_event(schedule):
    # 0: job 1 takes 2 of 3 nodes; job 2 (2 nodes) waits until 2 with extra 3 - 2 = 1: job 3 (1 node) is backfilled.
    # 6: jobs 3 (started 0) and 2 (started 2) end. After job 3: one node free, job 4 (3 nodes) and job 5 (2) wait.
    #    After job 2: all free, job 4 starts. (Were job 2 first, job 5 would be backfilled on its two nodes.)
    jobs = [
        Job(1, 0, 2, ((2, 0),), 2),
        Job(2, 0, 2, ((4, 0),), 10),
        Job(3, 0, 1, ((6, 0),), 20),
        Job(4, 3, 3, ((1, 0),), 1),
        Job(5, 3, 2, ((5, 0),), 5),
    ]
    expected = {1: (0, 2), 2: (2, 6), 3: (0, 6), 4: (6, 7), 5: (7, 12)}
    schedule(jobs, machine(3, 0, "unlimited", backfilling="easy_per_event"), expected)


def test_jobs_started_at_one_instant_end_in_the_order_they_were_started(schedule):
    # 4 nodes. 2: job 5 is released before job 1 ends and starts on the extra node (shadow 3, extra 4 - 3 = 1);
    #    then job 1 ends and job 2 starts. Both run until 4.
    # 4: job 5 ends first: one node free, jobs 3 and 4 wait. Then job 2 ends: job 3 starts.
    #    (Were job 2 first, as the older one, job 4 would start on its nodes: 4 + 3 <= 7, the estimate of job 5.)
    jobs = [
        Job(1, 0, 3, ((2, 0),), 3),
        Job(2, 0, 3, ((2, 0),), 5),
        Job(3, 0, 4, ((1, 0),), 1),
        Job(4, 0, 3, ((3, 0),), 3),
        Job(5, 2, 1, ((2, 0),), 5),
    ]
    expected = {1: (0, 2), 2: (2, 4), 3: (4, 5), 4: (5, 8), 5: (2, 4)}
    schedule(jobs, machine(4, 0, "unlimited", backfilling="easy_per_event"), expected)


def easy(*rest, first=None, head=None):
    """Job 1 (3 nodes, until 10), job 2 the head (4 nodes, from 1 on), then the rest, all released at 1."""
    return [first or Job(1, 0, 3, ((10, 0),), 10), head or Job(2, 1, 4, ((5, 0),), 5), *rest]


def test_backfilling_before_at_and_beyond_the_shadow(schedule):
    # 6 nodes, 3 free at 1; shadow 10, extra 6 - 4 = 2, which jobs 3 and 4 use up.
    # Job 5 is too long for the last free node; job 6 ends exactly at the shadow: 1 + 9 = 10.
    # 10: jobs 1 and 6 end, 4 nodes are free, job 2 runs until 15; then job 5.
    jobs = easy(*(Job(k, 1, 1, ((100, 0),), 100) for k in (3, 4, 5)), Job(6, 1, 1, ((9, 0),), 9))
    expected = {1: (0, 10), 2: (10, 15), 3: (1, 101), 4: (1, 101), 5: (15, 115), 6: (1, 10)}
    schedule(jobs, machine(6, 0, "unlimited"), expected)


def test_no_backfilling_a_hair_beyond_the_shadow(schedule):
    # 1 + 9.25 > 10 and extra is used up: job 5 waits until the head is through.
    jobs = easy(*(Job(k, 1, 1, ((100, 0),), 100) for k in (3, 4)), Job(5, 1, 1, ((9.25, 0),), 9.25))
    expected = {1: (0, 10), 2: (10, 15), 3: (1, 101), 4: (1, 101), 5: (15, 24.25)}
    schedule(jobs, machine(6, 0, "unlimited"), expected)


def test_a_job_that_ends_by_the_shadow_takes_nothing_from_extra(schedule):
    # 5 nodes, 2 free at 1; shadow 10, extra 1. Job 3 ends at 6; job 4 still finds the extra node.
    jobs = easy(Job(3, 1, 1, ((5, 0),), 5), Job(4, 1, 1, ((100, 0),), 100))
    schedule(jobs, machine(5, 0, "unlimited"), {1: (0, 10), 2: (10, 15), 3: (1, 6), 4: (1, 101)})


def test_extra_counts_every_job_expected_by_the_shadow(schedule):
    # 4 nodes, 2 free; head wants 3: shadow 10 with jobs 1 and 2 together, extra 4 - 3 = 1 for the long job 4.
    jobs = [
        Job(1, 0, 1, ((10, 0),), 10),
        Job(2, 0, 1, ((10, 0),), 10),
        Job(3, 1, 3, ((5, 0),), 5),
        Job(4, 1, 1, ((100, 0),), 100),
    ]
    schedule(jobs, machine(4, 0, "unlimited"), {1: (0, 10), 2: (0, 10), 3: (10, 15), 4: (1, 101)})


def test_jobs_started_in_a_pass_count_towards_its_shadow(schedule):
    # 0: job 1 starts; job 2 (2 nodes) waits for it: shadow 4. Job 3 would end at 5: no extra, it waits.
    jobs = [Job(1, 0, 1, ((4, 0),), 4), Job(2, 0, 2, ((1, 0),), 1), Job(3, 0, 1, ((5, 0),), 5)]
    schedule(jobs, machine(2, 0, "unlimited"), {1: (0, 4), 2: (4, 5), 3: (5, 10)})


def test_expected_end_that_has_passed_stays(schedule):
    # Job 1 was expected at 5 and runs until 10. At 6 the shadow is 5: job 3 (6 + 1 > 5, extra 0) is not backfilled.
    jobs = [Job(1, 0, 1, ((10, 0),), 5), Job(2, 6, 2, ((2, 0),), 2), Job(3, 6, 1, ((1, 0),), 1)]
    schedule(jobs, machine(2, 0, "unlimited"), {1: (0, 10), 2: (10, 12), 3: (12, 13)})


def test_walltime_that_is_not_given_is_the_worst_case(schedule):
    # Job 3 takes 4 s but may take 4/alpha = 8: 1 + 8 <= 9 holds for a shadow of 9 and fails for 8.75.
    def jobs(walltime):
        return [Job(1, 0, 1, ((6, 0),), walltime), Job(2, 1, 2, ((1, 0),), 1), Job(3, 1, 1, ((4, 0),))]

    schedule(jobs(9), machine(2, 0, "unlimited"), {1: (0, 6), 2: (6, 7), 3: (1, 5)})
    schedule(jobs(8.75), machine(2, 0, "unlimited"), {1: (0, 6), 2: (6, 7), 3: (7, 11)})


def test_fcfs_never_backfills(schedule):
    jobs = easy(Job(3, 1, 1, ((1, 0),), 1))
    schedule(jobs, machine(6, 0, "unlimited", backfilling="fcfs"), {1: (0, 10), 2: (10, 15), 3: (10, 11)})


def test_jobs_released_together_queue_by_job_id(schedule):
    jobs = [Job(10, 0, 2, ((1, 0),)), Job(9, 0, 2, ((1, 0),)), Job(2, 0, 2, ((1, 0),))]
    schedule(jobs, machine(2, 0, "unlimited"), {2: (0, 1), 9: (1, 2), 10: (2, 3)})


def test_memory_is_no_condition_for_starting(schedule):
    # Without any fast memory all runs at 1/2 and no target ever changes.
    jobs = [Job(1, 0, 1, ((1, 4), (1, 8))), Job(2, 0, 1, ((3, 1),))]
    schedule(jobs, machine(2, 0), {1: (0, 4), 2: (0, 6)}, reconfigurations=0, moved_gb=0)
