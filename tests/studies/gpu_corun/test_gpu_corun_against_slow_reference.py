"""The compiled event loop against a plain one on fractions, on random machines, kernels and queues."""

from random import Random

import gpu_corun_slow as slow
import polars as pl
import pytest
from gpu_corun_cases import random_apps, random_machine, tables

from pipeline.studies import gpu_corun
from pipeline.studies.gpu_corun.model.engine import FEW

COLUMNS = ("start_s", "kernel_end_s", "end_s")
LONG = 8
"""Queues long enough to be sorted otherwise."""
CASES = {"cuda": (150, 6), "mps": (150, 6), "slate": (400, 6), "optimal": (60, 2)}


@pytest.mark.slow
@pytest.mark.parametrize("scheduler", CASES)
def test_replays_are_those_of_the_slow_reference(scheduler):
    rng = Random(f"gpu_corun {scheduler}")
    count, most = CASES[scheduler]
    cases = {}
    for k in range(count):
        machine = random_machine(rng)
        cases[f"c{k:03d}"] = (machine, random_apps(rng, machine, most))
    for k in range(LONG if most > 2 else 0):
        machine = random_machine(rng)
        cases[f"long{k}"] = (machine, [app for _ in range(2 * FEW) for app in random_apps(rng, machine, 1)])
    inputs, scenarios = tables(cases, scheduler)
    result = gpu_corun.replay(inputs, scenarios)
    shared = 0
    for name, (machine, apps) in cases.items():
        expected = slow.replay(machine, apps, scheduler)
        rows = result["outcomes"].filter(scenario_id=name)
        if scheduler == "optimal":  # the choice among equals is not the page's
            best = max(end for _, _, end, _ in expected)
            assert rows["end_s"].max() == pytest.approx(float(best), rel=1e-12)
            continue
        for column, values in zip(COLUMNS, list(zip(*expected, strict=True))[:3], strict=True):
            assert rows[column].to_list() == pytest.approx([float(v) for v in values], rel=1e-9, abs=1e-9), name
        assert rows["mode"].to_list() == [mode for *_, mode in expected], name
        shared += "corun" in rows["mode"].to_list()
    assert scheduler != "slate" or 100 < shared < count


@pytest.mark.parametrize("scheduler", CASES)
def test_work_done_is_work_asked_and_no_more_sms_are_held_than_there_are(scheduler):
    rng = Random(f"conservation {scheduler}")
    cases = {}
    for k in range(100):
        machine = random_machine(rng)
        cases[f"c{k:03d}"] = (machine, random_apps(rng, machine, CASES[scheduler][1]))
    inputs, scenarios = tables(cases, scheduler)
    result = gpu_corun.replay(inputs, scenarios)
    timeline = result["timeline"]
    done = timeline.group_by("scenario_id", "position", maintain_order=True).agg(
        done=((pl.col("end_s") - pl.col("start_s")) * pl.col("speed")).sum(),
        first=pl.col("start_s").min(),
        last=pl.col("end_s").max(),
    )
    rows = done.join(result["outcomes"], on=["scenario_id", "position"], validate="1:1")
    asked = rows.join(inputs["kernels"], left_on=["scenario_id", "kernel"], right_on=["model_id", "kernel"])
    assert len(asked) == len(result["outcomes"])
    assert asked["done"].to_list() == pytest.approx(asked["loop_s"].to_list(), rel=1e-9)
    assert asked["last"].to_list() == asked["kernel_end_s"].to_list()
    if scheduler == "cuda":
        return  # all have all SMs in turns
    for name, scenario_timeline in timeline.group_by("scenario_id"):
        sms = cases[name[0]][0].sms
        for at in scenario_timeline["start_s"]:
            held = scenario_timeline.filter((pl.col("start_s") <= at) & (pl.col("end_s") > at + 1e-9))["sms"].sum()
            assert held <= sms
