"""Algorithm 2 on schedules computed by hand: one case a reading of the model page, for both replays."""

from fractions import Fraction

import pim_ranks_slow as slow
import pytest
from pim_ranks_cases import compiled
from pim_ranks_slow import Job, Scenario, World

F = Fraction


def table(speeds, time=10, ranks=16):
    """Times of an app whose relative speeds on some rank counts are given; on others that of fewer ranks."""
    times, speed = [], F(1, 20)
    for r in range(1, ranks + 1):
        speed = speeds.get(r, speed)
        times.append(F(time) / speed)
    return times


@pytest.fixture(params=["slow", "compiled"])
def check(request):
    """A function (world, jobs, ranks, {job_id: (ranks, start, end)}, options) that checks a replay."""

    def run(world, jobs, ranks, expected, scheduler="pim_care", **options):
        scenario = Scenario(scheduler, ranks, **options)
        if request.param == "slow":
            runs = {k: (r.ranks, r.start, r.end) for k, r in slow.replay(world, jobs, scenario).items()}
        else:
            runs = {k: run[:3] for k, run in compiled(world, [(jobs, scenario)])[0][0].items()}
        assert runs.keys() == expected.keys()
        for job_id, right in expected.items():
            assert runs[job_id] == pytest.approx(tuple(map(float, right))), f"job {job_id}"

    return run


FIGURE_6 = World(
    {
        "X": table({6: F(1)}, time=9),
        "T": table({4: F(1, 2), 6: F(3, 5), 12: F(1)}, time=24),
        "Q": table({4: F(1)}, time=50),
        "P": table({4: F(7, 10), 6: F(4, 5), 8: F(1)}, time=16),
        "S": table({2: F(1)}, time=40),
        "U": table({4: F(4, 5), 6: F(1)}, time=32),
        "V": table({2: F(1)}, time=5),
    },
    {"X": 6, "T": 12, "Q": 4, "P": 8, "S": 2, "U": 6, "V": 2},
)


def test_the_running_example_of_the_paper(check):
    """Section 3.4, Figure 6: its four steps (the figure's own numbers are not in the text).

    (a, b) t = 1, 10 ranks free: Q and S get 1 and leave 4 ranks; U gains 0.8, P 0.7, T 0.5 there. Q, S, U start, U on
    the 4 that are left; P and T are carried. (c) t = 9: X frees 6 ranks. V gets 1 and leaves 4; P has 0.7 + 0.7, T
    0.5 + 0.5. (d) P is in front and takes all 6, though V would have had its best. t = 29: P's 6 are free again, V
    (now 2.0) starts before T (1.0 + 0.5).
    """
    jobs = [Job(0, "X"), Job(1, "T", F(1)), Job(2, "Q", F(1)), Job(3, "P", F(1)), Job(4, "S", F(1)), Job(5, "U", F(1))]
    expected = {
        0: (6, 0, 9),
        2: (4, 1, 51),
        4: (2, 1, 41),
        5: (4, 1, 41),
        3: (6, 9, 29),
        6: (2, 29, 34),
        1: (4, 29, 77),
    }
    check(FIGURE_6, [*jobs, Job(6, "V", F(2))], 16, expected)


def test_a_launched_window_is_filled_again_at_the_same_instant(check):
    world = World({"S": table({2: F(1)})}, {"S": 2})
    expected = dict.fromkeys(range(5), (2, 0, 10)) | {5: (2, 10, 20)}
    check(world, [Job(k, "S") for k in range(6)], 10, expected, window=2)


def test_a_request_behind_the_window_waits_though_it_would_fit(check):
    """Window 1: L is granted the leftover 1 rank rather than S its best."""
    world = World({"S": table({1: F(1)}), "L": table({1: F(1, 4), 4: F(1)})}, {"S": 1, "L": 4})
    jobs = [Job(0, "S"), Job(1, "S"), Job(2, "S"), Job(3, "L"), Job(4, "S")]
    expected = {0: (1, 0, 10), 1: (1, 0, 10), 2: (1, 0, 10), 3: (1, 0, 40), 4: (1, 10, 20)}
    check(world, jobs, 4, expected, window=1)


def test_a_carried_request_may_be_outranked_by_newcomers(check):
    """t = 0, 4 ranks: S takes 3; A and B gain perf(1) = 1/2 and 1/4, A takes the one that is left, B is carried.

    t = 10: S frees 3. C, which came at 5, fits (1) and leaves 2; B gains perf(2) = 1/4 and stays behind it with 1/2.
    """
    world = World(
        {
            "S": table({3: F(1)}),
            "A": table({1: F(1, 2), 4: F(1)}, 40),
            "B": table({1: F(1, 4), 4: F(1)}),
            "C": table({1: F(1)}),
        },
        {"S": 3, "A": 4, "B": 4, "C": 1},
    )
    jobs = [Job(0, "S"), Job(1, "A"), Job(2, "B"), Job(3, "C", F(5))]
    check(world, jobs, 4, {0: (3, 0, 10), 1: (1, 0, 80), 3: (1, 10, 20), 2: (2, 10, 50)})


def test_who_is_carried_keeps_the_order_of_the_priorities(check):
    """t = 0, 4 ranks: S gets 1 and leaves 2; M gains 1/2, N 3/4, O 1/4: N takes the 2. M, O are carried in that order.

    t = 10: S frees 2. Scan 1 has none (all need 4); M: 1/2 + 1/2, O: 1/4 + 1/4: M starts. t = 10 3/4: nothing new.
    """
    world = World(
        {
            "S": table({2: F(1)}),
            "O": table({1: F(1, 8), 2: F(1, 4), 4: F(1)}),
            "M": table({1: F(1, 8), 2: F(1, 2), 4: F(1)}),
            "N": table({1: F(1, 8), 2: F(3, 4), 4: F(1)}, 30),
        },
        {"S": 2, "M": 4, "N": 4, "O": 4},
    )
    jobs = [Job(0, "S"), Job(1, "O"), Job(2, "M"), Job(3, "N")]
    check(world, jobs, 4, {0: (2, 0, 10), 3: (2, 0, 40), 2: (2, 10, 30), 1: (2, 30, 70)})


def test_a_carried_request_in_front_takes_all_freed_ranks_though_another_has_its_best(check):
    """4 ranks. t = 0: S leaves 1 rank, where both L gain 3/4; the first takes it till 40 / (3/4), the other is carried.

    t = 10: S frees 3. N, which came at 5, would have its best 2: it gains 1, which leaves 1 rank, and L gains 3/4 there
    again. With 3/2 L is in front and is granted all 3 (speed 4/5); N waits, till the first L gives its one rank back.
    """
    world = World(
        {"S": table({3: F(1)}), "L": table({1: F(3, 4), 3: F(4, 5), 4: F(1)}, 40), "N": table({2: F(1)})},
        {"S": 3, "L": 4, "N": 2},
    )
    jobs = [Job(0, "S"), Job(1, "L"), Job(2, "L"), Job(3, "N", F(5))]
    check(world, jobs, 4, {0: (3, 0, 10), 1: (1, 0, F(160, 3)), 2: (3, 10, 60), 3: (1, F(160, 3), F(760, 3))})


def test_who_arrives_while_others_run_starts_on_what_is_free_then(check):
    """8 ranks. A holds 6 till 20. At 3 B takes its best 2; C at 4 and D at 5 find none. At 13 B's 2 are free: D has its
    best and gains 1, which leaves none for C to gain by. At 20 C gets its best.
    """
    world = World(
        {
            "A": table({6: F(1)}, 20),
            "B": table({2: F(1)}),
            "C": table({2: F(1, 2), 4: F(1)}),
            "D": table({2: F(1)}, 30),
        },
        {"A": 6, "B": 2, "C": 4, "D": 2},
    )
    jobs = [Job(0, "A"), Job(1, "B", F(3)), Job(2, "C", F(4)), Job(3, "D", F(5))]
    check(world, jobs, 8, {0: (6, 0, 20), 1: (2, 3, 13), 3: (2, 13, 43), 2: (4, 20, 30)})


def test_no_leftover_no_gain(check):
    """Scan 1 takes all ranks that are free: the others gain nothing."""
    world = World(
        {"A": table({2: F(1)}), "B": table({2: F(9, 10), 4: F(1)}), "C": table({2: F(1)})}, {"A": 2, "B": 4, "C": 2}
    )
    jobs = [Job(0, "A"), Job(1, "A"), Job(2, "B"), Job(3, "C", F(5))]
    check(world, jobs, 4, {0: (2, 0, 10), 1: (2, 0, 10), 2: (4, 10, 20), 3: (2, 20, 30)})
    # t = 10, 2 free: X fits (1) and B gains nothing. t = 15, 2 free again: C fits (1), B with 0 is behind it; had it
    # gained 0.9 twice, it would be in front.
    world.times["X"], world.best["X"] = table({2: F(1)}, 5), 2
    world.times["Y"], world.best["Y"] = table({2: F(1)}, 40), 2
    jobs = [Job(0, "A"), Job(1, "Y"), Job(2, "B", F(1)), Job(3, "X", F(1)), Job(4, "C", F(2))]
    expected = {0: (2, 0, 10), 1: (2, 0, 40), 3: (2, 10, 15), 4: (2, 15, 25), 2: (2, 25, 25 + F(100, 9))}
    check(world, jobs, 4, expected)


def test_gains_are_looked_up_at_the_leftover_or_at_all_free_ranks(check):
    """8 free: S leaves 2. On 2 ranks G is faster (1/2 : 1/4), on 8 ranks H is (3/4 : 1/2)."""
    world = World(
        {
            "S": table({6: F(1)}, 40),
            "G": table({2: F(1, 2), 10: F(1)}),
            "H": table({2: F(1, 4), 8: F(3, 4), 10: F(1)}),
        },
        {"S": 6, "G": 10, "H": 10},
    )
    jobs = [Job(0, "S"), Job(1, "H"), Job(2, "G")]
    check(world, jobs, 8, {0: (6, 0, 40), 2: (2, 0, 20), 1: (2, 20, 60)})
    check(world, jobs, 8, {0: (6, 0, 40), 1: (2, 0, 40), 2: (8, 40, 60)}, perf_at="available")


def test_equal_priorities_go_by_arrival_then_job_id(check):
    world = World({"L": table({1: F(1, 2), 4: F(1)}), "S": table({3: F(1)}, 20)}, {"L": 4, "S": 3})
    # S leaves 1: both L gain 1/2; the earlier one is job 5 (t = 0 as job 7, smaller id).
    check(world, [Job(7, "L"), Job(5, "L"), Job(1, "S")], 4, {1: (3, 0, 20), 5: (1, 0, 20), 7: (4, 20, 30)})
    # Arrival comes before the id.
    jobs = [Job(0, "S"), Job(1, "S"), Job(3, "L", F(1)), Job(2, "L", F(2))]
    expected = {0: (3, 0, 20), 1: (1, 0, 400), 3: (3, 20, 40), 2: (3, 40, 60)}
    check(world, jobs, 4, expected)


def test_best_ranks_above_the_machine_are_clamped(check):
    world = World({"W": table({8: F(1, 2), 16: F(1)})}, {"W": 16})
    for scheduler in ("pim_care", "se_opt", "sm_opt_fcfs", "sm_opt_ooo", "care_floor"):
        check(world, [Job(0, "W"), Job(1, "W")], 8, {0: (8, 0, 20), 1: (8, 20, 40)}, scheduler)


def test_frees_come_before_arrivals_and_both_before_dispatch(check):
    """At t = 10 a job ends and two arrive: the later one in the queue sees the freed ranks too."""
    world = World({"A": table({4: F(1)}), "B": table({2: F(1)})}, {"A": 4, "B": 2})
    jobs = [Job(0, "A"), Job(1, "B", F(10)), Job(2, "B", F(10))]
    for scheduler in ("pim_care", "sm_opt_fcfs", "sm_opt_ooo"):
        check(world, jobs, 4, {0: (4, 0, 10), 1: (2, 10, 20), 2: (2, 10, 20)}, scheduler)


def test_overhead_is_a_share_of_the_execution_time(check):
    world = World({"A": table({4: F(1)})}, {"A": 4})
    check(world, [Job(0, "A"), Job(1, "A")], 4, {0: (4, 0, 12), 1: (4, 12, 24)}, overhead=F(1, 5))


BASELINES = World(
    {"A": table({4: F(1, 2), 6: F(1)}), "B": table({2: F(1)}, 4), "C": table({4: F(1)}, 6)}, {"A": 6, "B": 2, "C": 4}
)
THREE = [Job(0, "C"), Job(1, "A"), Job(2, "B"), Job(3, "B")]


def test_baselines_of_the_paper(check):
    """Figure 7 in small: full machine, best ranks, side by side with a blocked head, out of order, leftover granted."""
    check(BASELINES, THREE, 8, {0: (8, 0, 6), 1: (8, 6, 16), 2: (8, 16, 20), 3: (8, 20, 24)}, "se_full")
    check(BASELINES, THREE, 8, {0: (4, 0, 6), 1: (6, 6, 16), 2: (2, 16, 20), 3: (2, 20, 24)}, "se_opt")
    check(BASELINES, THREE, 8, {0: (4, 0, 6), 1: (6, 6, 16), 2: (2, 6, 10), 3: (2, 10, 14)}, "sm_opt_fcfs")
    check(BASELINES, THREE, 8, {0: (4, 0, 6), 1: (6, 6, 16), 2: (2, 0, 4), 3: (2, 0, 4)}, "sm_opt_ooo")
    check(BASELINES, THREE, 8, {0: (4, 0, 6), 1: (6, 6, 16), 2: (2, 6, 10), 3: (2, 10, 14)}, "sm_opt_ooo", ooo_window=1)


def test_a_large_job_waits_where_a_small_grant_would_become_the_makespan(check):
    """L takes 80 s on 1 rank, 20 s on 4. PIM-CARE starts it on the one rank that S leaves; waiting till 10 ends at 30.

    At 0 the machine has (3 x 10 + 4 x 20) / 4 = 27.5 s of work, so a grant that ends later must be worth it.
    """
    world = World({"S": table({3: F(1)}), "L": table({1: F(1, 4), 4: F(1)}, 20)}, {"S": 3, "L": 4})
    jobs = [Job(0, "S"), Job(1, "L")]
    check(world, jobs, 4, {0: (3, 0, 10), 1: (1, 0, 80)}, "pim_care")
    check(world, jobs, 4, {0: (3, 0, 10), 1: (4, 10, 30)}, "care_floor")
    # With more work behind it the same grant delays nothing: 80 s end before (3 x 10 + 13 x 4 x 20) / 4 s.
    many = [Job(0, "S"), *(Job(k, "L") for k in range(1, 14))]
    result = compiled(world, [(many, Scenario("care_floor", 4))])[0][0]
    assert result[1][:2] == (1, 0)
