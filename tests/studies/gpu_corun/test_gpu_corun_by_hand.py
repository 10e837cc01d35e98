"""Replays that can be worked out on paper."""

from random import Random

import polars as pl
import pytest
from gpu_corun_cases import TABLE_2, pairs, plain, random_apps, random_machine, run, tables

from pipeline.studies import gpu_corun

ENDS = ("start_s", "end_s", "mode")


def rows(result: dict[str, pl.DataFrame], *columns: str) -> list[tuple]:
    return result["outcomes"].select(columns or ENDS).rows()


def metrics(result: dict[str, pl.DataFrame]) -> dict[str, float]:
    return dict(result["metrics"].select("metric", "value").iter_rows())


def arriving(queue: pl.DataFrame, *arrival_s: float) -> pl.DataFrame:
    return queue.with_columns(arrival_s=pl.Series(arrival_s))


LONG_SHORT = plain(A={}, B={"loop_s": 10.0})
STREAM = plain(  # M is memory-bound (half the SMs are enough), R has low intensity
    M={"memory_gbps": 300.0, "saturation": 0.5}, R={}, C={"gflops": 900.0, "memory_gbps": 300.0}
)


def test_time_slicing_halves_the_speed_and_loses_for_switching():
    result = run(LONG_SHORT, pairs("A-B"), "cuda", switching_loss=0.06)
    # B has done its 10 s after 2 x 1.06 x 10; A has 20 left then.
    assert rows(result) == [(0, pytest.approx(41.2), "solo"), (0, pytest.approx(21.2), "solo")]
    assert metrics(result) == pytest.approx(
        {"makespan_s": 41.2, "kernel_makespan_s": 41.2, "antt": (41.2 / 30 + 21.2 / 10) / 2,
         "stp": 30 / 41.2 + 10 / 21.2}
    )  # fmt: skip


def test_time_slicing_with_an_arrival():
    result = run(LONG_SHORT, arriving(pairs("A-B"), 0.0, 5.0), "cuda", switching_loss=0.0)
    assert rows(result, "start_s", "end_s") == [(0, pytest.approx(40)), (5, pytest.approx(25))]


def test_three_share_in_turns():
    result = run(plain(A={}), pairs("A-A-A"), "cuda", switching_loss=0.1)
    assert rows(result, "end_s") == [(pytest.approx(99),)] * 3


def test_mps_runs_one_after_the_other_in_queue_order():
    result = run(LONG_SHORT, pairs("A-B", "B-A"), "mps")
    assert rows(result) == [(0, 30, "solo"), (30, 40, "solo"), (0, 10, "solo"), (10, 40, "solo")]


def test_mps_overlaps_while_another_waits_and_adds_its_overhead_at_the_end():
    result = run(LONG_SHORT, pairs("A-B"), "mps", overlap=0.25, mps_overhead=0.01)
    assert rows(result, "kernel_end_s", "end_s") == [(24, pytest.approx(24.3)), (34, pytest.approx(34.1))]


def test_set_ups_run_side_by_side_on_the_host():
    result = run(LONG_SHORT.with_columns(setup_s=2.0), pairs("A-B"), "mps", mps_overhead=0.5)
    assert rows(result, "start_s", "end_s") == [(2, 32 + 16), (32, 42 + 6)]
    assert metrics(result)["kernel_makespan_s"] == 40
    assert metrics(result)["antt"] == pytest.approx((48 / 32 + 48 / 12) / 2)


def test_slate_halves_the_sms_and_gives_them_back():
    # Half the SMs are all that M needs; R is half as fast until M ends at 30, then has 15 s left.
    result = run(STREAM, pairs("M-R", "R-M"), "slate")
    assert rows(result) == [(0, 30, "corun"), (0, 45, "corun"), (0, 45, "corun"), (0, 30, "corun")]
    timeline = result["timeline"].filter(scenario_id="M-R").select("kernel", "start_s", "end_s", "sms", "speed")
    assert timeline.rows() == [("M", 0, 30, 15, 1), ("R", 0, 30, 15, 0.5), ("R", 30, 45, 30, 1)]


def test_equal_finish():
    result = run(plain(R={}), pairs("R-R"), "slate")
    assert rows(result) == [(0, 60, "corun")] * 2
    assert len(result["timeline"]) == 2


def test_who_waits_takes_the_place_of_two_that_end_at_once():
    result = run(plain(R={}), pairs("R-R-R"), "slate")
    assert rows(result) == [(0, 60, "corun"), (0, 60, "corun"), (60, 90, "solo")]


def test_slate_runs_alone_what_table_1_does_not_pair():
    result = run(STREAM, pairs("M-C"), "slate", communication=0.04, injection=0.015)
    assert rows(result) == [(0, pytest.approx(31.65), "solo"), (30, pytest.approx(61.65), "solo")]


def test_of_the_runs_of_a_kernel_the_first_alone_pays_for_code_that_is_cached():
    shares = {"communication": 0.04, "injection": 0.015, "cached": True}
    result = run(STREAM, pairs("C-C"), "slate", **shares)
    assert rows(result) == [(0, pytest.approx(31.65), "solo"), (30, pytest.approx(61.2), "solo")]
    # Who arrives first pays, whatever its position.
    result = run(STREAM, arriving(pairs("C-C"), 5.0, 0.0), "slate", **shares)
    assert rows(result) == [(30, pytest.approx(61.2), "solo"), (0, pytest.approx(31.65), "solo")]
    # Another kernel pays for itself; without the cache everybody does; MPS has no code to keep.
    assert rows(run(STREAM, pairs("M-C"), "slate", **shares)) == rows(
        run(STREAM, pairs("M-C"), "slate", **shares | {"cached": False})
    )
    result = run(STREAM, pairs("C-C"), "slate", **shares | {"cached": False})
    assert rows(result, "end_s") == [(pytest.approx(31.65),), (pytest.approx(61.65),)]
    mps = [run(STREAM, pairs("C-C"), "mps", mps_overhead=0.1, cached=cached) for cached in (True, False)]
    assert rows(mps[0]) == rows(mps[1])


def test_a_running_kernel_shrinks_for_one_that_arrives():
    # R alone for 10 s, then both until M ends at 40 (R has done 10 + 15), then R alone for the last 5.
    result = run(STREAM, arriving(pairs("R-M"), 0.0, 10.0), "slate")
    assert rows(result) == [(0, 45, "corun"), (10, 40, "corun")]
    sms = result["timeline"].filter(kernel="R").select("start_s", "end_s", "sms")
    assert sms.rows() == [(0, 10, 30), (10, 40, 15), (40, 45, 30)]


def test_a_resized_kernel_pauses():
    # M ends at 30; R pauses until 31 and has 15 s to go.
    result = run(STREAM, pairs("M-R"), "slate", resize_s=1.0)
    assert rows(result, "end_s") == [(30,), (46,)]
    # R pauses at 10 for M's arrival: until 40 it has done 10 + 14.5, pauses again and ends 5.5 later.
    result = run(STREAM, arriving(pairs("R-M"), 0.0, 10.0), "slate", resize_s=1.0)
    assert rows(result, "end_s") == [(pytest.approx(46.5),), (40,)]
    assert result["timeline"].filter(pl.col("speed") == 0).select("start_s", "end_s").rows() == [(10, 11), (40, 41)]


def test_the_timeline_holds_an_interval_only_where_something_changes():
    # B comes at 5 and waits: nothing changes for A.
    result = run(LONG_SHORT, arriving(pairs("A-B"), 0.0, 5.0), "mps")
    assert result["timeline"].select("kernel", "start_s", "end_s").rows() == [("A", 0, 30), ("B", 30, 40)]


def test_a_pair_after_an_idle_time_runs_as_from_the_start():
    result = run(STREAM, arriving(pairs("R-M-R"), 0.0, 100.0, 100.0), "slate", resize_s=1.0)
    assert rows(result) == [(0, 30, "solo"), (100, 130, "corun"), (100, 146, "corun")]


def test_the_active_kernel_reads_its_row_of_table_1():
    kernels = plain(H={"gflops": 900.0}, M={"memory_gbps": 300.0})
    modes = {w: rows(run(kernels, pairs(w), "slate"), "mode")[0][0] for w in ("H-M", "M-H")}
    assert modes == {"H-M": "solo", "M-H": "corun"}
    for symmetry, mode in (("either", "corun"), ("both", "solo")):
        for workload in modes:
            assert rows(run(kernels, pairs(workload), "slate", symmetry=symmetry), "mode") == [(mode,)] * 2


def test_selection_walks_the_queue_and_walks_again_when_one_ends():
    # M and C do not pair, M and R do: C waits, and has the GPU to itself from 45 on, M being done and R alone with it
    # until then. The second R starts beside C, the active one by then.
    result = run(STREAM, pairs("M-C-R-R"), "slate")
    # [0, 30] M and the first R (15 of 30 done); R becomes active at 30 and takes C, the first that Table I has for it.
    # C on 15 of 30 SMs is half as fast: R ends at 60 with C at 15; then C and the second R, half as fast, until 90.
    assert rows(result) == [(0, 30, "corun"), (30, 90, "corun"), (0, 60, "corun"), (60, pytest.approx(105), "corun")]


def test_splits():
    kernels = plain(M={"memory_gbps": 300.0, "saturation": 0.3}, R={})
    sms = {
        split: run(kernels, pairs("R-M"), "slate", split=split)["timeline"]["sms"][0]
        for split in ("equal", "saturate", "best")
    }
    assert sms["equal"] == 15
    assert sms["saturate"] == 21
    # With n SMs for R and 30 - n for M, M takes 30 s up to n = 21 and 270 / (30 - n) beyond; R does n / 30 a second
    # until then and the rest alone.
    whole = {n: 60 - n if n <= 21 else 270 / (30 - n) + 30 - 9 * n / (30 - n) for n in range(1, 30)}
    assert sms["best"] == min(whole, key=whole.get)
    assert run(kernels, pairs("R-M"), "slate", sms=7)["timeline"]["sms"][0] == 4
    assert rows(run(kernels, pairs("R-M"), "slate", sms=1), "mode") == [("solo",)] * 2


def test_bandwidth_above_what_there_is_is_cut_in_proportion():
    kernels = plain(M={"dram_gbps": 300.0, "saturation": 0.5})
    result = run(kernels, pairs("M-M"), "slate", bandwidth_gbps=450.0, latency=0.0)
    assert rows(result, "end_s") == [(40,), (40,)]


def test_latency_makes_kernels_that_are_bound_by_their_sms_slower():
    kernels = plain(M={"dram_gbps": 200.0, "saturation": 0.5})
    # All bandwidth is used: latency is twice that at the knee, which is what one alone sees; 15 SMs are worth half.
    result = run(kernels, pairs("M-M"), "slate", bandwidth_gbps=400.0, latency=1.0, knee=0.5)
    assert rows(result, "end_s") == [(60,), (60,)]
    assert rows(run(kernels, pairs("M"), "slate", bandwidth_gbps=200.0, latency=1.0, knee=0.5), "end_s") == [(30,)]


@pytest.mark.parametrize(("task_size", "end_s"), [(1, 15 + 9), (10, 15), (20, 15 - 0.5)])
def test_task_size_costs_pulls(task_size, end_s):
    kernels = plain(A={"slate_speed": 2.0, "pull_cost": 1 / 3})
    assert rows(run(kernels, pairs("A"), "slate", task_size=task_size), "end_s") == [(pytest.approx(end_s),)]


def test_task_size_costs_balance_and_no_other_scheduler_minds():
    kernels = plain(A={"slate_speed": 2.0, "imbalance": 0.01})
    assert rows(run(kernels, pairs("A"), "slate", task_size=20), "end_s") == [(pytest.approx(18),)]
    for scheduler in ("cuda", "mps"):
        assert rows(run(kernels, pairs("A"), scheduler, task_size=20), "end_s") == [(30,)]


def test_dram_demand_is_at_most_what_the_machine_has():
    kernels = plain(A={"memory_gbps": 568.6, "saturation": 0.5}).drop("dram_gbps")
    assert rows(run(kernels, pairs("A"), "slate", bandwidth_gbps=100.0), "end_s") == [(30,)]


@pytest.mark.parametrize("scheduler", gpu_corun.schedulers())
def test_metrics_are_those_of_the_outcomes(scheduler):
    rng = Random(4)
    machines = [random_machine(rng) for _ in range(12)]
    cases = {f"w{k}": (machine, random_apps(rng, machine, 2)) for k, machine in enumerate(machines)}
    inputs, scenarios = tables(cases, scheduler)
    result = gpu_corun.replay(inputs, scenarios)
    rows = (
        result["outcomes"]
        .join(inputs["queue"], left_on=["scenario_id", "position"], right_on=["workload_id", "position"])
        .join(inputs["kernels"], left_on=["scenario_id", "kernel"], right_on=["model_id", "kernel"])
        .with_columns(shared=pl.col("end_s") - pl.col("arrival_s"), alone=pl.col("setup_s") + pl.col("loop_s"))
    )
    expected = rows.group_by("scenario_id").agg(
        makespan_s=pl.col("end_s").max() - pl.col("arrival_s").min(),
        kernel_makespan_s=pl.col("kernel_end_s").max() - (pl.col("arrival_s") + pl.col("setup_s")).min(),
        antt=(pl.col("shared") / pl.col("alone")).mean(),
        stp=(pl.col("alone") / pl.col("shared")).sum(),
    )
    wide = result["metrics"].pivot("metric", index="scenario_id", values="value")
    both = expected.join(wide, on="scenario_id", suffix="_found", validate="1:1")
    for name in ("makespan_s", "kernel_makespan_s", "antt", "stp"):
        assert both[name].to_list() == pytest.approx(both[f"{name}_found"].to_list())


def test_saturation_by_default_is_of_the_class():
    kernels = pl.DataFrame(
        {"kernel": list("LMHC"), "gflops": [4.0, 4, 4, 900], "memory_gbps": [70.0, 300, 560, 300], "setup_s": [0.0] * 4}
    )
    result = run(kernels, pairs("L-L", "L-M", "L-H", "L-C"), "slate", latency=0.0, bandwidth_gbps=1e6)
    speed = dict(
        result["timeline"].sort("start_s").unique("kernel", keep="first").select("kernel", "speed").iter_rows()
    )
    expected = {"L": 0.75, "M": 0.65, "H": 0.45, "C": 0.9}
    assert speed == pytest.approx({k: 1.06 * min(1, 0.5 / u) for k, u in expected.items()})


def test_positions_sort_as_numbers_and_need_not_begin_at_0():
    queue = pl.DataFrame({"workload_id": ["w"] * 3, "position": [10, 9, -1], "kernel": ["A", "A", "B"]})
    outcomes = run(plain(A={}, B={}), queue, "mps")["outcomes"]
    assert outcomes.select("position", "kernel", "start_s").rows() == [(-1, "B", 0), (9, "A", 30), (10, "A", 60)]


def test_the_published_pairs_are_judged_by_table_1():
    """Only what the paper prints is given: RG shares with every kernel, no other pair does."""
    kernels = pl.DataFrame([{"kernel": k, "gflops": g, "memory_gbps": m} for k, (g, m) in TABLE_2.items()])
    names = [f"{a}-{b}" for i, a in enumerate(TABLE_2) for b in list(TABLE_2)[i:]]
    outcomes = run(kernels, pairs(*names), "slate")["outcomes"]
    modes = {name: set(frame["mode"]) for (name,), frame in outcomes.group_by("scenario_id")}
    assert modes == {name: {"corun" if "RG" in name.split("-") else "solo"} for name in names}


@pytest.mark.parametrize("at_s", [0, 10**9])
def test_far_from_the_origin_nothing_is_lost(at_s):
    queue = pairs("R-M").with_columns(arrival_s=pl.Series([at_s, at_s + 10]))
    outcomes = run(plain(M={"memory_gbps": 300.0, "saturation": 0.5}, R={}), queue, "slate")["outcomes"]
    assert (outcomes["end_s"] - at_s).to_list() == [45, 40]
