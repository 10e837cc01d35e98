"""Scenarios of process variation through `replay`: laws, equal work, refusals."""

import itertools

import numpy as np
import polars as pl
import pytest

from pipeline.studies import gpu_sharing
from pipeline.studies.gpu_sharing.model import sm_map

SCHEDULERS = ("even_split", "profile")


def batch(seed: int, *, known: bool = True):
    """All options on random mixes of two and three applications."""
    random = np.random.default_rng(seed)
    n, h, peak = np.arange(1, 31), random.uniform(0.05, 20, (5, 1)), random.uniform(50, 1000, (5, 1))
    ipc = peak * n / 30 * (1 + h) / (n / 30 + h)
    curves = pl.DataFrame({"app": np.repeat(np.arange(5), 30), "sms": np.tile(n, 5), "ipc": ipc.ravel()})
    mixes = pl.DataFrame(
        [(m, s, int(app)) for m in range(6) for s, app in enumerate(random.integers(5, size=2 + m % 2))],
        schema=["mix_id", "slot", "app"],
        orient="row",
    )
    rows = list(itertools.product(range(6), SCHEDULERS, ["global", "per_sm"], ["cfms", "csmf"], [3, 4], [0.0, 0.01]))
    scenarios = pl.DataFrame(
        rows, schema=["mix_id", "scheduler", "clocking", "assignment", "map_seed", "gamma"], orient="row"
    ).with_row_index("scenario_id")
    inputs = {"sm_curves": curves, "mixes": mixes}
    if known:
        inputs["apps"] = pl.DataFrame(
            {"app": range(5), "clock_speedup": random.uniform(1, 1.4, 5), "clock_speedup_3": random.uniform(1, 1.4, 5)}
        )
    return inputs, scenarios


def wide(inputs, scenarios) -> tuple[pl.DataFrame, pl.DataFrame]:
    result = gpu_sharing.replay(inputs, scenarios)
    pivoted = result["metrics"].pivot("metric", index="scenario_id", values="value")
    return scenarios.join(pivoted, on="scenario_id"), result["outcomes"].join(scenarios, on="scenario_id")


@pytest.mark.parametrize("known", [True, False], ids=["sensitivities", "curves"])
def test_all_sms_are_used_and_each_application_has_one(known):
    _, outcomes = wide(*batch(1, known=known))
    held = outcomes.group_by("scenario_id").agg(pl.col("sms").sum().alias("all"), pl.col("sms").min().alias("least"))
    assert set(held["all"]) == {30}
    assert held["least"].min() >= 1


@pytest.mark.parametrize("known", [True, False], ids=["sensitivities", "curves"])
def test_per_sm_clocks_are_at_least_as_good_as_one_clock(known):
    metrics, outcomes = wide(*batch(2, known=known))
    on = ["mix_id", "scheduler", "assignment", "map_seed", "gamma"]
    one, own = (outcomes.filter(clocking=c).select(*on, "slot", "sms", "throughput") for c in ("global", "per_sm"))
    both = one.join(own, on=[*on, "slot"], validate="1:1")
    assert (both["sms"] == both["sms_right"]).all()
    assert (both["throughput_right"] >= both["throughput"] * (1 - 1e-12)).all()
    assert (metrics.filter(clocking="global")["mean_clock"] == 1).all()
    maps = {seed: sm_map.frequencies(seed, 30).mean() for seed in (3, 4)}
    for seed, clock in metrics.filter(clocking="per_sm").select("map_seed", "mean_clock").iter_rows():
        assert clock == pytest.approx(maps[seed])


def test_equal_work_is_what_cooperative_multitasking_takes_for_the_same_instructions():
    inputs, scenarios = batch(3)
    metrics, outcomes = wide(inputs, scenarios)
    alone = dict(inputs["sm_curves"].filter(sms=30).select("app", "ipc").rows())
    for row in metrics.iter_rows(named=True):
        rows = outcomes.filter(scenario_id=row["scenario_id"])
        instructions = rows["throughput"] * 5e6
        one_after_the_other = sum(i / alone[app] for i, app in zip(instructions, rows["app"], strict=True))
        assert row["equal_work_speedup"] == pytest.approx(one_after_the_other / 5e6)
        cooperative = sum(alone[app] for app in rows["app"]) / len(rows)
        assert row["system_speedup"] == pytest.approx(rows["throughput"].sum() / cooperative)


def test_at_one_clock_neither_map_nor_assignment_matters():
    metrics, _ = wide(*batch(4))
    one = (
        metrics.filter(clocking="global")
        .group_by("mix_id", "scheduler", "gamma")
        .agg(pl.col("equal_work_speedup").n_unique())
    )
    assert set(one["equal_work_speedup"]) == {1}


def test_the_speedup_of_three_applications_is_that_of_their_own_column():
    inputs, scenarios = batch(5)
    three = scenarios.filter(pl.col("mix_id") % 2 == 1)
    both, _ = wide(inputs, three)
    alone, _ = wide(inputs | {"apps": inputs["apps"].select("app", clock_speedup="clock_speedup_3")}, three)
    assert both["equal_work_speedup"].to_list() == alone["equal_work_speedup"].to_list()


def test_memory_controllers_are_left_where_no_other_application_is_memory_bound():
    """Two of three applications compute-bound: the memory-bound one has what they leave, they share with it."""
    apps = {"app": ["a", "b", "c"], "compute_bound": [1, 1, 0]}
    stated = {f"clock_speedup_{k}": [1.3, 1.4, 1.1] for k in (2, 3)}
    stated |= {f"clock_speedup_{k}_left": [1.35, 1.4, 1.2] for k in (2, 3)}
    n = list(range(1, 31))
    inputs = {
        "sm_curves": pl.DataFrame(
            {"app": np.repeat(["a", "b", "c"], 30), "sms": n * 3, "ipc": [float(i) for i in n] * 3}
        ),
        "mixes": pl.DataFrame(
            [(mix, slot, app) for mix in ("ab", "ac", "abc", "cc") for slot, app in enumerate(mix)],
            schema=["mix_id", "slot", "app"],
            orient="row",
        ),
        "apps": pl.DataFrame(apps | stated),
    }
    rows = list(itertools.product(["ab", "ac", "abc", "cc"], ["shared", "left"]))
    scenarios = pl.DataFrame(rows, schema=["mix_id", "controllers"], orient="row").with_columns(
        pl.format("{}/{}", "mix_id", "controllers").alias("scenario_id"), scheduler=pl.lit("even_split")
    )
    fast = np.sort(sm_map.frequencies(0, 30))[::-1]
    outcomes = gpu_sharing.replay(inputs, scenarios)["outcomes"].sort("scenario_id", "slot")
    throughputs = {key[0]: frame["throughput"].to_list() for key, frame in outcomes.group_by("scenario_id")}

    def expected(speedups: list[float], blocks: list[int]) -> list[float]:
        size = 30 // len(speedups)
        clock = [fast[b * size : (b + 1) * size].mean() for b in blocks]
        return pytest.approx([size * (1 + (s - 1) * (c - 1) / 0.4) for s, c in zip(speedups, clock, strict=True)])

    assert throughputs["ab/shared"] == expected([1.3, 1.4], [1, 0])
    assert throughputs["ab/left"] == expected([1.35, 1.4], [1, 0])
    assert throughputs["ac/shared"] == expected([1.3, 1.1], [0, 1])
    assert throughputs["ac/left"] == expected([1.3, 1.2], [0, 1])
    assert throughputs["abc/shared"] == expected([1.3, 1.4, 1.1], [1, 0, 2])
    assert throughputs["abc/left"] == expected([1.3, 1.4, 1.2], [1, 0, 2])
    assert throughputs["cc/left"] == throughputs["cc/shared"]


def test_a_map_follows_the_law_of_its_scenario():
    inputs, scenarios = batch(5)
    one = scenarios.filter(mix_id=0, clocking="per_sm", assignment="cfms", map_seed=3, gamma=0.0)
    laws = [(0.42, 1.3), (0.15, 1.3), (0.42, 2.0)]
    rows = pl.concat(
        [one.with_columns(threshold_v=pl.lit(v), voltage_exponent=pl.lit(e)) for v, e in laws]
    ).with_columns(scenario_id=pl.int_range(pl.len()))
    metrics, _ = wide(inputs, rows)
    both = rows.join(metrics.select("scenario_id", "mean_clock"), on="scenario_id")
    for v, exponent in laws:
        means = both.filter(threshold_v=v, voltage_exponent=exponent)["mean_clock"].to_list()
        assert means == pytest.approx([sm_map.frequencies(3, 30, v, exponent).mean()] * len(means))
    assert both["mean_clock"].n_unique() == 3


def test_stated_classes_decide_who_is_fast():
    """The application that is said to be compute-bound has the faster SMs, even with the smaller speed-up."""
    n = list(range(1, 31))
    inputs = {
        "sm_curves": pl.DataFrame({"app": ["a"] * 30 + ["b"] * 30, "sms": n * 2, "ipc": [float(i) for i in n] * 2}),
        "mixes": pl.DataFrame({"mix_id": ["m", "m"], "slot": [0, 1], "app": ["a", "b"]}),
        "apps": pl.DataFrame({"app": ["a", "b"], "clock_speedup": [1.2, 1.1], "compute_bound": [0, 1]}),
    }
    scenario = pl.DataFrame({"scenario_id": ["s"], "scheduler": ["even_split"], "mix_id": ["m"]})
    outcome = gpu_sharing.replay(inputs, scenario)["outcomes"].sort("slot")
    fast = np.sort(sm_map.frequencies(0, 30))[::-1]
    expected = [15 * (1 + 0.2 * (fast[15:].mean() - 1) / 0.4), 15 * (1 + 0.1 * (fast[:15].mean() - 1) / 0.4)]
    assert outcome["throughput"].to_list() == pytest.approx(expected)


def test_order_and_batch_do_not_matter():
    inputs, scenarios = batch(6)
    whole = gpu_sharing.replay(inputs, scenarios)
    parts = [gpu_sharing.replay(inputs, part) for part in (scenarios[1::2], scenarios[::2])]
    for name, frame in whole.items():
        order = [c for c in ("scenario_id", "round", "slot", "metric") if c in frame.columns]
        assert frame.sort(order).equals(pl.concat([part[name] for part in parts]).sort(order))


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("clocking", "own", "unknown clocking 'own'; known: global, per_sm"),
        ("assignment", "fast", "unknown assignment 'fast'; known: cfms, csmf"),
        ("controllers", "own", "unknown controllers 'own'; known: left, shared"),
        ("threshold_v", -0.1, "threshold_v is -0.1 in row 1"),
        ("map_seed", -1, "map_seed is -1 in row 1"),
        ("sms", 1, "2 applications, the GPU has 1 SMs"),
    ],
)
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_refusals(column, value, message, scheduler):
    inputs, scenarios = batch(7)
    scenario = scenarios.filter(pl.col("mix_id") == 0, scheduler=scheduler)[:1].with_columns(
        pl.lit(value).alias(column)
    )
    with pytest.raises(ValueError, match=message):
        gpu_sharing.replay(inputs, scenario)
