"""The least makespan of a pair: no scheduler beats it, and it is what trying everything gives."""

from random import Random

import polars as pl
import pytest
from gpu_corun_cases import pairs, plain, random_apps, random_machine, run, tables

from pipeline.studies import gpu_corun


def makespans(scheduler, cases):
    inputs, scenarios = tables(cases, scheduler)
    metrics = gpu_corun.replay(inputs, scenarios)["metrics"]
    return metrics.filter(metric="makespan_s")["value"]


@pytest.mark.parametrize("scheduler", ["cuda", "mps", "slate"])
def test_no_scheduler_has_a_shorter_makespan(scheduler):
    rng = Random(f"optimal against {scheduler}")
    cases = {}
    for k in range(400):
        machine = random_machine(rng)
        cases[f"c{k:03d}"] = (machine, random_apps(rng, machine, 2))
    ours, least = makespans(scheduler, cases), makespans("optimal", cases)
    assert (least <= ours * (1 + 1e-9)).all()
    assert (least < ours * (1 - 1e-6)).sum() > 40


def test_pairs_that_table_1_does_not_have_may_share():
    """Two that need half of the SMs each and no bandwidth run side by side at full speed, whatever their class."""
    kernels = plain(M={"memory_gbps": 300.0, "saturation": 0.5})
    assert run(kernels, pairs("M-M"), "optimal")["outcomes"]["end_s"].to_list() == [30, 30]
    assert run(kernels, pairs("M-M"), "slate")["outcomes"]["end_s"].to_list() == [30, 60]


def test_a_kernel_that_slate_slows_down_runs_as_under_mps_beside_one_that_it_speeds_up():
    kernels = plain(A={"slate_speed": 0.9}, B={"slate_speed": 1.5})
    outcomes = run(kernels, pairs("A-B"), "optimal", communication=0.04)["outcomes"]
    # 30 s of A, 20 s of B and B's overhead of 1.2 s, which A's run hides where B goes first.
    assert outcomes.select("start_s", "end_s").rows() == [(20, 50), (0, pytest.approx(21.2))]


def test_one_alone_is_run_in_the_better_way():
    for speed, end_s in ((1.2, 25.0), (0.9, 30.0)):
        assert run(plain(A={"slate_speed": speed}), pairs("A"), "optimal")["outcomes"]["end_s"].to_list() == [end_s]


def test_every_split_of_the_sms_is_tried():
    kernels = plain(A={"saturation": 0.2}, B={"saturation": 0.8})
    sms = run(kernels, pairs("A-B"), "optimal", sms=10)["timeline"]
    assert sms.filter(pl.col("start_s") == 0).select("kernel", "sms").rows() == [("A", 2), ("B", 8)]
