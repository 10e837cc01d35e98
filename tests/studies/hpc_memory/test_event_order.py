"""The order of events at one instant, on schedules small enough to compute by hand.

alpha = 1/2 throughout, so that a job without memory runs at half speed.
"""

from fractions import Fraction

import pytest
from hpc_memory_cases import machine
from hpc_memory_slow import Job

# ------------------------------------------------------------------------------------- steps 1 and 2: ends in order


def test_serial_reconfiguration_that_ends_with_a_phase_leaves_room_for_the_next_one(schedule):
    # 0: target 2, operation until 2; phase 0 (1 s of work at 1/2) ends at 2 as well.
    # 2: U = 2 first, then phase 1 (4 GB): target 4, operation 2-4; speed 1/2 + 1/2·2/4 = 3/4: 1.5 s done at 4.
    # 4: U = 4, speed 1, 1.5 s left: end 5.5.
    jobs = [Job(1, 0, 1, ((1, 2), (3, 4)))]
    schedule(jobs, machine(1, 4, tau=2), {1: (0, 5.5)}, reconfigurations=2, moved_gb=4)


def test_a_timer_that_ends_with_a_phase_ends_first(schedule):
    # As above, but were the phase to end first, its new target would start the timer anew with U = 0:
    # phase 1 would run at 1/2 until 4 and end at 6.
    jobs = [Job(1, 0, 1, ((1, 2), (3, 4)))]
    schedule(jobs, machine(1, 4, tau=2, reconfiguration="restart"), {1: (0, 5.5)}, reconfigurations=2, moved_gb=4)


def test_memory_of_a_finished_job_is_free_at_once_and_usable_after_the_operation(schedule):
    # 0: both start; targets by smallest need: 2 and 2; speed 1/2 until 1.
    # 1: job 1 at speed 1 (0.5 s done, 1 s left: ends at 2), job 2 at 3/4.
    # 2: target of job 2 becomes 4, at 3/4 until 3: done 0.5 + 0.75 + 0.75 = 2; 3 s left at speed 1: end 6.
    jobs = [Job(1, 0, 1, ((1.5, 2),)), Job(2, 0, 1, ((5, 4),))]
    schedule(
        jobs,
        machine(2, 4),
        {1: (0, 2), 2: (0, 6)},
        reconfigurations=2,
        moved_gb=6,
        mean_response_s=4,
        makespan_s=6,
        utilisation=None,  # the last release is the first one
        busy_utilisation=None,
    )


# ------------------------------------------------------------------------------- step 5: serial reconfiguration


def test_trigger_during_an_operation_only_flags(schedule):
    # 0: target of job 1, operation 0-2. 1: job 2 starts, flag. 2: job 1 at speed 1 (1 s done, 4 left: end 6);
    # operation 2-4 for job 2, which has done 1.5 s by 4 and ends at 4.5.
    # [0, 1]: one of two nodes busy, at 1/2.
    jobs = [Job(1, 0, 1, ((5, 2),)), Job(2, 1, 1, ((2, 2),))]
    schedule(
        jobs,
        machine(2, 4, tau=2),
        {1: (0, 6), 2: (1, 4.5)},
        reconfigurations=2,
        moved_gb=4,
        utilisation=0.25,
        busy_utilisation=0.5,
        mean_response_s=4.75,
    )


def test_flag_without_a_change_starts_nothing(schedule):
    # 0: operation 0-2. 1: job 2 (no memory) starts and job 1 stays as it is: flag, nothing at 2.
    # 3: job 3 finds the machine idle: operation 3-5, at 1/2 until 5, then 1 s left: end 6.
    jobs = [Job(1, 0, 1, ((6, 2),)), Job(2, 1, 1, ((1, 0),)), Job(3, 3, 1, ((2, 2),))]
    schedule(jobs, machine(3, 4, tau=2), {1: (0, 7), 2: (1, 2), 3: (3, 6)}, reconfigurations=2, moved_gb=4)


def test_targets_at_the_end_of_an_operation_are_those_of_the_state_of_then(schedule):
    # 0: job 1, operation 0-3. 1: job 2 (3 s at 1/2 would last) starts and ends at 2 (0.5 s of work): never a target.
    jobs = [Job(1, 0, 1, ((5, 4),)), Job(2, 1, 1, ((0.5, 1),))]
    # 3: job 1 has done 1.5 s and ends at 6.5; its target is the 4 GB it has.
    schedule(jobs, machine(2, 4, tau=3), {1: (0, 6.5), 2: (1, 2)}, reconfigurations=1, moved_gb=4)


def test_memory_that_leaves_is_unusable_at_once(schedule):
    # 1: job 1 has its 4 GB (0.5 s done). 2: job 2 (less need) takes 2: job 1 at 3/4 at once, job 2 at 1/2 until 3.
    # Job 2: 0.5 s done at 3, 1 s left: ends at 4. Job 1: done 0.5 + 1 + 0.75 + 0.75 = 3 at 4.
    # 4: job 1 gets 4 again, at 3/4 until 5 (3.75 done), 1.25 left: ends at 6.25.
    jobs = [Job(1, 0, 1, ((5, 4),)), Job(2, 2, 1, ((1.5, 2),))]
    schedule(jobs, machine(2, 4), {1: (0, 6.25), 2: (2, 4)}, reconfigurations=3, moved_gb=4 + 4 + 2)


def test_jobs_whose_target_stays_are_untouched(schedule):
    # Job 1 has 2 GB from 1 on; the operation 3-4 for job 2 does not slow it down: 0.5 s done at 1, end 1 + 4.5.
    jobs = [Job(1, 0, 1, ((5, 2),)), Job(2, 3, 1, ((2, 2),))]
    schedule(jobs, machine(2, 4), {1: (0, 5.5), 2: (3, 5.5)}, reconfigurations=2, moved_gb=4)


def test_reconfiguration_without_duration_is_immediate(schedule):
    # Full speed from the first second; phase 1 (4 of 2 GB, alpha 1/2) at 3/4: 2 + 3/(3/4) = 6.
    jobs = [Job(1, 0, 1, ((2, 1), (3, 4)))]
    for how in ("serial", "incremental", "restart"):
        schedule(jobs, machine(1, 2, tau=0, reconfiguration=how), {1: (0, 6)}, reconfigurations=2, moved_gb=2)


def test_unlimited_is_full_speed_without_reconfiguration(schedule):
    jobs = [Job(1, 1, 1, ((2, 100), (3, 400)))]
    schedule(jobs, machine(1, 0, "unlimited"), {1: (1, 6)}, reconfigurations=0, moved_gb=0)


def test_aggregated_has_its_share_for_life(schedule):
    # 2 of 4 nodes: 4 of 8 GB. Phase 0 needs 2·4: speed 3/4, 4 s; phase 1 needs 2·1: speed 1. No tau.
    # The second job is released at 4: until then 2 nodes of 4 at 3/4.
    jobs = [Job(1, 0, 2, ((3, 4), (1, 1))), Job(2, 4, 4, ((3, 4),))]
    schedule(
        jobs,
        machine(4, 8, "aggregated"),
        {1: (0, 5), 2: (5, 9)},
        reconfigurations=0,
        moved_gb=0,
        utilisation=0.375,
        busy_utilisation=0.5,
    )


# -------------------------------------------------------------------------------------------- who gets the memory

PAIR = [Job(1, 0, 2, ((3, 1),)), Job(2, 0, 1, ((3, 4),))]


@pytest.mark.parametrize(
    ("scheduler", "options", "expected"),
    [
        # needs 2·1 and 1·4 of 4 GB, immediate; a job with half its need runs at 3/4, one with none at 1/2
        ("priority", {}, {1: 3, 2: 3 + (3 - 2.25)}),  # 2 and 2; the rest at full speed
        ("oldest_first", {}, {1: 3, 2: 3 + (3 - 2.25)}),
        ("largest_first", {}, {1: 3 + (3 - 1.5), 2: 3}),  # 0 and 4
        ("largest_first", {"largest_by": "nodes"}, {1: 3, 2: 3 + (3 - 2.25)}),
        ("stochastic", {}, {1: 3, 2: 3 + (3 - 2.25)}),  # g/c = 1 and 1/4
    ],
)
def test_order_of_the_jobs(schedule, scheduler, options, expected):
    scenario = machine(3, 4, scheduler, tau=0, **options)
    schedule(PAIR, scenario, {job_id: (0, end) for job_id, end in expected.items()}, moved_gb=4 + 2)


@pytest.mark.parametrize("scheduler", ["priority", "stochastic"])
def test_memory_goes_where_a_gigabyte_a_node_speeds_up_most(schedule, scheduler):
    # 2 GB: 1/x = 1/5 on four nodes, 1/2 on one. Job 2 has it all until 5, job 1 runs at 1/2.
    jobs = [Job(1, 0, 4, ((2, 5),)), Job(2, 0, 1, ((5, 2),))]
    schedule(jobs, machine(5, 2, scheduler, tau=0), {1: (0, 4), 2: (0, 5)}, reconfigurations=1, moved_gb=2)


def test_equal_jobs_are_served_by_release_rank(schedule):
    jobs = [Job(2, 0, 1, ((3, 2),)), Job(1, 0, 1, ((3, 2),))]
    for scheduler in ("priority", "stochastic", "oldest_first", "largest_first"):
        # job 1 has its 2 GB, job 2 none until 3: 1.5 s done, 1.5 left at full speed
        schedule(jobs, machine(2, 2, scheduler, tau=0), {1: (0, 3), 2: (0, 4.5)}, reconfigurations=2, moved_gb=4)


def test_stochastic_targets_change_with_the_running_jobs_only(schedule):
    # Levels 1 and 4 of equal shares: g/c = 1/2 + 1/8 below 1, 1/8 below 4. Job 2: one level 2, g/c = 1/2.
    # 4 GB: job 1 to 1, job 2 to 2, job 1 with the last one to 2.
    # Job 1: phase 0 (1 GB) 2 s, then phase 1 (4 GB) at 1/2 + 1/4 until job 2 ends at 5: 2.25 s done.
    # 5: job 1 to 4 GB: 1.75 s left, end 6.75.
    jobs = [
        Job(1, 0, 1, ((2, 1), (4, 4)), profile=((1, 0.5), (4, 0.5))),
        Job(2, 0, 1, ((5, 2),)),
    ]
    scenario = machine(2, 4, "stochastic", tau=0)
    schedule(jobs, scenario, {1: (0, 6.75), 2: (0, 5)}, reconfigurations=2, moved_gb=4 + 2)


def test_levels_of_no_memory_cost_nothing_and_levels_that_never_occur_come_last(schedule):
    # Job 1: shares 1/2 at 0, 1/2 at 2 and none at 8: g/c = 1/4 below 2, 0 below 8. Alone it gets 8 GB in the end.
    jobs = [Job(1, 0, 1, ((5, 8),), profile=((0, 0.5), (2, 0.5), (8, 0)))]
    scenario = machine(2, 8, "stochastic", tau=0)
    schedule(jobs, scenario, {1: (0, 5)}, reconfigurations=1, moved_gb=8)
    # Job 2 (one level 6, g/c = 1/6) takes all that job 1 does not want: job 1 runs at 1/2 + 1/8.
    jobs.append(Job(2, 0, 1, ((10, 6),)))
    schedule(jobs, scenario, {1: (0, 8), 2: (0, 10)}, reconfigurations=1, moved_gb=8)


# ----------------------------------------------------------------------------------------------- other readings


def test_free_start_serves_the_starting_job_at_once(schedule):
    # 0: job 1 at full speed at once: ends at 2; the operation lasts until 1 all the same.
    # 0.5: job 2 starts during it: decided at 1, not at its start, so usable at 2.
    #      done 0.25 + 0.5 = 0.75 at 2, 1.25 left: end 3.25.
    # 4: job 3 finds the machine idle: full speed at once.
    jobs = [Job(1, 0, 1, ((2, 2),)), Job(2, 0.5, 1, ((2, 2),)), Job(3, 4, 1, ((2, 2),))]
    expected = {1: (0, 2), 2: (0.5, 3.25), 3: (4, 6)}
    schedule(jobs, machine(2, 4, free_start=True), expected, reconfigurations=3, moved_gb=6)


@pytest.mark.parametrize("reconfiguration", ["incremental", "restart"])
def test_free_start_needs_no_idle_machine_without_a_global_operation(schedule, reconfiguration):
    jobs = [Job(1, 0, 1, ((2, 2),)), Job(2, 0.5, 1, ((2, 2),))]
    scenario = machine(2, 4, free_start=True, reconfiguration=reconfiguration)
    schedule(jobs, scenario, {1: (0, 2), 2: (0.5, 2.5)}, reconfigurations=2, moved_gb=4)


FOUR_PHASES = [Job(1, 0, 1, ((1, 8), (3, 4), (3.75, 8), (0.5, 2)))]


def test_serial_operation_is_not_cut_short(schedule):
    # 0: operation 0-4 for 8. 2: phase 1, flag (1/2 until 4: 1 s done). 4: U = 8, target 4: operation 4-8, speed 1.
    # 6: phase 2 (8 GB), U = 4: 3/4, flag. 8: 1.5 s done, target 8: operation 8-12; 2.25 left at 3/4: 11.
    # 11: phase 3 (2 GB) at full speed: 11.5.
    schedule(FOUR_PHASES, machine(1, 8, tau=4), {1: (0, 11.5)}, reconfigurations=3, moved_gb=8 + 4 + 4)


def test_incremental_keeps_what_is_in_flight_as_far_as_needed(schedule):
    # 0: 8 GB under way to 4. 2: phase 1 needs 4: half of it is kept. 4: U = 4, speed 1 (1 s done): 6.
    # 6: 4 more, at 10; 3/4 until then: 3 s done, 0.75 left: 10.75. Then target 2, below U: at once, 11.25.
    scenario = machine(1, 8, tau=4, reconfiguration="incremental")
    schedule(FOUR_PHASES, scenario, {1: (0, 11.25)}, reconfigurations=4, moved_gb=8 + 4 + 4 + 6)


def test_restart_starts_the_timer_anew(schedule):
    # 2: target 4 exceeds U = 0: timer until 6, at 1/2: 2 s done; then 1 s at full speed: 7.
    # 7: target 8, timer until 11, 3/4: 3 s done, 0.75 left: 11.75. Then target 2 at once: 12.25.
    scenario = machine(1, 8, tau=4, reconfiguration="restart")
    schedule(FOUR_PHASES, scenario, {1: (0, 12.25)}, reconfigurations=4, moved_gb=8 + 4 + 4 + 6)


def test_incremental_cuts_the_latest_increment_first(schedule):
    # 0: 2 GB for 8. 1: phase 1 (6 GB): 4 more for 9. 2: phase 2 (4 GB): 2 at 8 kept, 2 of the 4 at 9.
    # 1/2 until 8: 3 s done; 3/4 until 9: 3.75; full speed for 1.25: 10.25.
    jobs = [Job(1, 0, 1, ((0.5, 2), (0.5, 6), (5, 4)))]
    scenario = machine(1, 8, tau=8, reconfiguration="incremental")
    schedule(jobs, scenario, {1: (0, 10.25)}, reconfigurations=3, moved_gb=2 + 4 + 2)


def test_incremental_target_below_usable_cancels_all_in_flight(schedule):
    # 0: 4 GB for 4. 4: U = 4 (phase 0 has done 2 s, 1 s left: 5). 5: phase 1 (8 GB): 4 more for 9, at 3/4.
    # 6: phase 1 (0.75 s) ends; phase 2 (2 GB): U = A = 2, the 4 are cancelled; 1 s: 7.
    # 7: phase 3 (8 GB): 6 for 11, 1/2 + 1/8 until then: 2.5 s done (at 9 nothing arrives); 0.5 left: 11.5.
    jobs = [Job(1, 0, 1, ((3, 4), (0.75, 8), (1, 2), (3, 8)))]
    scenario = machine(1, 8, tau=4, reconfiguration="incremental")
    schedule(jobs, scenario, {1: (0, 11.5)}, reconfigurations=4, moved_gb=4 + 4 + 6 + 6)


@pytest.mark.parametrize("reconfiguration", ["incremental", "restart"])
def test_own_timers_of_jobs_run_side_by_side(schedule, reconfiguration):
    # Job 1 at 1/2 until 2, ends at 2 + 4 = 6; job 2 at 1/2 from 1 to 3, 1 s left: ends at 4 (serial: 4.5).
    jobs = [Job(1, 0, 1, ((5, 2),)), Job(2, 1, 1, ((2, 2),))]
    scenario = machine(2, 4, tau=2, reconfiguration=reconfiguration)
    schedule(jobs, scenario, {1: (0, 6), 2: (1, 4)}, reconfigurations=2, moved_gb=4)


# --------------------------------------------------------------------------------------------------- measures


def test_useful_work_stops_counting_at_the_last_release(schedule):
    # Times start at 10. Job 1 (1 of 2 nodes) at 1/2 until 11, then at 1; job 2 is released at 13:
    # useful 0.5 + 2 = 2.5 of 6 node-seconds, busy 3 of 6. Job 1 ends at 10 + 1 + 3.5; job 2 (no need) 13-14.
    jobs = [Job(1, 10, 1, ((4, 2),)), Job(2, 13, 1, ((1, 0),))]
    metrics = {"utilisation": Fraction(5, 12), "busy_utilisation": 0.5, "makespan_s": 4.5, "mean_response_s": 2.75}
    schedule(jobs, machine(2, 2), {1: (10, 14.5), 2: (13, 14)}, **metrics)


def test_a_job_larger_than_the_machine_takes_part_in_nothing(schedule):
    jobs = [Job(1, 2, 1, ((4, 0),)), Job(2, 3, 1, ((1, 0),)), Job(3, 50, 3, ((1, 0),)), Job(4, 0, 3, ((1, 0),))]
    metrics = {"utilisation": 0.5, "mean_response_s": 2.5, "makespan_s": 4}
    schedule(jobs, machine(2, 0, "unlimited"), {1: (2, 6), 2: (3, 4)}, **metrics)
