"""A rule of one's own: more than two kernels side by side, pauses, notes, and what is said about impossible choices."""

from fractions import Fraction
from pathlib import Path
from random import Random
from types import ModuleType

import gpu_corun_slow as slow
import numpy as np
import polars as pl
import pytest
from gpu_corun_cases import pairs, plain, random_apps, random_machine, run, tables

from pipeline.studies import gpu_corun
from pipeline.studies.gpu_corun.model.contention import Applications, Machine, progress
from pipeline.studies.gpu_corun.rules import IN_TURNS, NOTES, ask_again, give, share
from pipeline.studies.gpu_corun.schedulers import SCHEDULERS, check

HERE = Path(__file__).parent
FILE = HERE / "own" / "always_corun.py"
FACTS = {"OPTIONS": (), "MOST_APPLICATIONS": None, "OVERHEAD": (), "TRANSFORMED": True, "COMPLEXITY": 1}


@pytest.fixture
def always_corun(own_scheduler):
    return own_scheduler("gpu_corun", FILE)


def rows(result, *columns):
    return result["outcomes"].select(columns).rows()


def test_three_share_the_sms_equally(always_corun):
    slow_ones, quick = plain(A={}), plain(A={"saturation": 1 / 3})
    assert rows(run(slow_ones, pairs("A-A-A"), always_corun), "end_s", "mode") == [(pytest.approx(90), "corun")] * 3
    assert rows(run(quick, pairs("A-A-A"), always_corun), "end_s") == [(30,)] * 3
    sms = run(slow_ones, pairs("A-A-A-A"), always_corun, sms=7)["timeline"].filter(start_s=0)["sms"]
    assert sms.to_list() == [3, 2, 2]


def test_bandwidth_is_cut_in_proportion_to_three_demands(always_corun):
    kernels = plain(M={"dram_gbps": 300.0, "saturation": 1 / 3})
    result = run(kernels, pairs("M-M-M"), always_corun, bandwidth_gbps=450.0, latency=0.0)
    assert rows(result, "end_s") == [(pytest.approx(60),)] * 3


def equal_shares(machine, apps, most):
    """start_s, kernel_end_s and mode where the first that are ready share the SMs, on fractions."""
    queue = sorted(apps, key=lambda app: app.ready)
    now, running = Fraction(0), []
    for app in apps:
        app.left, app.speed, app.sms = app.loop_s, app.under_slate(machine), 0
        app.start, app.stop, app.held, app.corun = None, None, None, False
    while any(app.stop is None for app in apps):
        running = [app for app in running if app.stop is None]
        ready = [app for app in queue if app.ready <= now and app.stop is None and app not in running]
        running += ready[: max(min(most, machine.sms) - len(running), 0)]
        for k, app in enumerate(running):
            given = machine.sms // len(running) + (k < machine.sms % len(running))
            if app.sms not in (0, given):
                app.held = now + machine.resize_s
            app.sms, app.corun = given, app.corun or len(running) > 1
        awake = [app for app in running if app.held is None or app.held <= now]
        speeds = [
            x * app.speed for x, app in zip(slow.shares(machine, [(a, a.sms) for a in awake]), awake, strict=True)
        ]
        for app in awake:
            app.start = now if app.start is None else app.start
        events = [app.ready for app in apps if app.ready > now]
        events += [now + app.left / speed for app, speed in zip(awake, speeds, strict=True)]
        then = min([*events, *(app.held for app in running if app not in awake)])
        for app, speed in zip(awake, speeds, strict=True):
            app.left -= speed * (then - now)
            app.stop = then if app.left == 0 else None
        now = then
    return [(app.start, app.stop, "corun" if app.corun else "solo") for app in apps]


def random_cases(seed, count, most=7):
    rng = Random(seed)
    machines = {f"c{k:03d}": random_machine(rng) for k in range(count)}
    return {name: (machine, random_apps(rng, machine, most)) for name, machine in machines.items()}


def test_replays_are_those_of_a_slow_simulation_on_fractions(always_corun):
    cases = random_cases("always", 150)
    outcomes = gpu_corun.replay(*tables(cases, always_corun))["outcomes"]
    for name, (machine, apps) in cases.items():
        expected = equal_shares(machine, apps, 3)
        own = outcomes.filter(scenario_id=name)
        assert own["mode"].to_list() == [mode for *_, mode in expected], name
        for k, column in enumerate(("start_s", "kernel_end_s")):
            assert own[column].to_list() == pytest.approx([float(row[k]) for row in expected], rel=1e-9, abs=1e-9), name


def pair(sms_a, sms_b, saturation_a, saturation_b, dram_a, dram_b, machine):
    """The model page's equations for two, written out."""

    def latency_at(used):
        if used <= machine.knee:
            return 1.0
        return 1.0 + machine.latency * (used - machine.knee) / (1.0 - machine.knee)

    on_a, on_b = sms_a / machine.sms, sms_b / machine.sms
    reached_a, reached_b = min(1.0, on_a / saturation_a), min(1.0, on_b / saturation_b)
    now = latency_at(min(1.0, (reached_a * dram_a + reached_b * dram_b) / machine.bandwidth_gbps))
    reached_a = min(1.0, on_a / (saturation_a * max(1.0, now / latency_at(dram_a / machine.bandwidth_gbps))))
    reached_b = min(1.0, on_b / (saturation_b * max(1.0, now / latency_at(dram_b / machine.bandwidth_gbps))))
    demand = reached_a * dram_a + reached_b * dram_b
    granted = 1.0 if demand <= machine.bandwidth_gbps else machine.bandwidth_gbps / demand
    return reached_a * granted, reached_b * granted


def test_contention_of_two_and_of_one_is_that_of_the_pair_to_the_last_bit():
    rng = np.random.default_rng(1)
    shares, who = np.empty(2), np.array([0, 1])
    for _ in range(2000):
        machine = Machine(30, 450.0, rng.uniform(0.3, 1), rng.uniform(0, 2), 0.0, 0.0, 0.0)
        saturation, dram = rng.uniform(0.1, 1, 2), rng.uniform(0, 450, 2)
        apps = Applications(dram, dram, dram, saturation, dram, who, who)
        n = rng.integers(1, 30)
        for sms in ([n, 30 - n], [n, 0], [30, 0]):
            expected = pair(*sms, *saturation, *dram, machine)
            count = 1 + (sms[1] > 0)
            progress(count, machine, apps, who, np.array(sms), shares)
            assert shares[:count].tolist() == list(expected[:count])
    assert expected[0] == 1  # alone on all SMs


@share
def in_quanta(now_s, machine, scenario, apps, state, choice, notes):
    """Round robin: each has all SMs for scenario.seed seconds, then whoever had them least often."""
    if state.running and now_s < notes[-NOTES]:
        ask_again(choice, notes[-NOTES])
        return
    least = state.first if state.first >= 0 else state.runs[0]
    i = state.first
    while i >= 0:
        if notes[i] < notes[least]:
            least = i
        i = state.after[i]
    if state.running and notes[state.runs[0]] < notes[least]:
        least = state.runs[0]
    if state.running and least != state.runs[0]:
        give(choice, state.runs[0], 0)
    give(choice, least, machine.sms)
    notes[least] += 1
    notes[-NOTES] = now_s + scenario.seed
    ask_again(choice, notes[-NOTES])


@share
def impossible(now_s, machine, scenario, apps, state, choice, notes):
    """What is wrong is said by the seed."""
    seed = scenario.seed
    give(choice, 7 if seed == 1 else 1 if seed == 2 else 0, 31 if seed == 3 else IN_TURNS if seed == 4 else 20)
    if seed == 5:
        give(choice, 0, 20)
    if seed in (4, 6):
        give(choice, 2, 11)
    if seed in (7, 8):
        choice.count[0] = 0
    if seed == 8:
        ask_again(choice, now_s + 1)
    if seed == 9:
        ask_again(choice, now_s)
    if seed == 10:
        for _ in range(100):
            give(choice, 0, 20)


def scheduler(rule, **changed):
    module = ModuleType("pipeline.studies.gpu_corun.schedulers.mine")
    vars(module).update(FACTS | {"rule": rule} | changed)
    return module


def test_a_rule_may_pause_an_application_and_ask_to_be_asked_again(monkeypatch):
    monkeypatch.setitem(SCHEDULERS, "mine", scheduler(in_quanta))
    result = run(plain(A={}), pairs("A-A"), "mine", seed=10)
    assert rows(result, "start_s", "end_s", "mode") == [(0, 50, "solo"), (10, 60, "solo")]
    # Each of its turns but the first begins with a pause of 1 s: A has 10, 9, 9 and B 10, 9, 9 by 60, then 2 and 2.
    result = run(plain(A={}), pairs("A-A"), "mine", seed=10, resize_s=1.0)
    assert rows(result, "end_s") == [(63,), (66,)]
    # More intervals than there is room for at first.
    timeline = run(plain(A={}), pairs("A-A"), "mine", seed=1)["timeline"]
    assert len(timeline) == 60
    assert timeline.group_by("position").agg((pl.col("end_s") - pl.col("start_s")).sum())["end_s"].to_list() == [30, 30]


@pytest.mark.parametrize(
    ("seed", "sentence"),
    [
        (1, "names application 7, which is not there; 2 wait and 0 run, of 3"),
        (2, r"names application 1 \(position 1, kernel 'B'\), which is not there"),
        (3, r"gives application 0 \(position 0, kernel 'A'\) 31 SMs; 0 to 30, or IN_TURNS, would be right"),
        (4, "has 1 run in turns beside others with SMs of their own; all or none would be right"),
        (5, r"names application 0 \(position 0, kernel 'A'\) twice; once would be right"),
        (6, "gives 31 SMs to all that run; there are 30"),
        (8, "was asked again 100000 times while nobody made progress; 2 wait and 0 run, of 3"),
        (9, "needs to be asked again at 0.0 s; later than now would be right"),
        (10, "twice"),
    ],
)
def test_what_is_impossible_is_named(monkeypatch, seed, sentence):
    monkeypatch.setitem(SCHEDULERS, "mine", scheduler(impossible))
    queue = pairs("A-B-A").with_columns(arrival_s=pl.Series([0.0, 200_000.0, 0.0]))
    with pytest.raises(
        ValueError, match=f"^mine, scenario 'A-B-A': .* s after the first arrival the rule .*{sentence}"
    ):
        run(plain(A={}, B={}), queue, "mine", seed=seed)


def test_nobody_running_for_ever_is_named(monkeypatch):
    monkeypatch.setitem(SCHEDULERS, "mine", scheduler(impossible))
    with pytest.raises(ValueError, match="has nobody run and nobody is to come; 3 wait and 0 run, of 3"):
        run(plain(A={}), pairs("A-A-A"), "mine", seed=7)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"rule": "leftover"}, "rule is 'leftover'; a function that begins with @share would be right"),
        ({"OVERHEAD": "injection"}, "a tuple of mps_overhead, communication, injection would be right"),
        ({"OVERHEAD": ("injections",)}, "did you mean 'injection'?"),
        (
            {"OPTIONS": ("splits",)},
            "OPTIONS is 'splits'; known: split, symmetry, task_size, cached; did you mean 'split'?",
        ),
        ({"TRANSFORMED": "no"}, "TRANSFORMED is 'no'; True or False would be right"),
        ({"MOST_APPLICATIONS": 0}, "MOST_APPLICATIONS is 0; None or a whole number of at least 1 would be right"),
        ({"together": SCHEDULERS["optimal"].together}, "MOST_APPLICATIONS is None; the search takes at most 2"),
    ],
)
def test_what_a_file_may_not_say_is_named(changed, sentence):
    with pytest.raises(ValueError) as caught:
        check(scheduler(**({"rule": SCHEDULERS["mps"].rule} | changed)))
    assert str(caught.value).startswith("pipeline/studies/gpu_corun/schedulers/mine.py")
    assert sentence in str(caught.value)


def test_a_rule_with_other_arguments_is_refused():
    with pytest.raises(
        ValueError, match=r"takes \(now_s\); a rule share takes \(now_s, machine, scenario, apps, state"
    ):
        share(lambda now_s: None)
