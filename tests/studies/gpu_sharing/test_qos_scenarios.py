"""Scenarios of quality of service through `replay`: the thesis' path, laws, refusals."""

import numpy as np
import polars as pl
import pytest

from pipeline.studies import gpu_sharing

SHA1 = {8: 144, 9: 162, 10: 180, 12: 216, 15: 270, 21: 380, 30: 400}
QOS = ("profile_minimum", "dynamic_linear")


def curves(random=None, apps: int = 4, S: int = 30) -> pl.DataFrame:
    n = np.arange(1, S + 1)
    if random is None:
        return pl.DataFrame({"app": ["SHA1"] * len(SHA1), "sms": list(SHA1), "ipc": list(SHA1.values())})
    h, peak = random.uniform(0.05, 20, (apps, 1)), random.uniform(50, 1000, (apps, 1))
    ipc = peak * n / S * (1 + h) / (n / S + h)
    return pl.DataFrame({"app": np.repeat(np.arange(apps), S), "sms": np.tile(n, apps), "ipc": ipc.ravel()})


def mixes(rows: dict) -> pl.DataFrame:
    return pl.DataFrame(
        [(mix, slot, app) for mix, apps in rows.items() for slot, app in enumerate(apps)],
        schema=["mix_id", "slot", "app"],
        orient="row",
    )


def metrics(result) -> dict[str, dict]:
    wide = result["metrics"].pivot("metric", index="scenario_id", values="value")
    return {row["scenario_id"]: row for row in wide.iter_rows(named=True)}


@pytest.mark.parametrize(
    ("midpoint", "path"), [(False, [30, 12, 9]), (True, [30, 21, 15, 12, 10, 9])], ids=["linear", "midpoint"]
)
@pytest.mark.parametrize("level", [80, 0.8])
def test_figure_11(midpoint, path, level):
    scenario = pl.DataFrame(
        {"scenario_id": ["s"], "scheduler": ["dynamic_linear"], "mix_id": ["m"], "qos_level": [level],
         "midpoint": [midpoint], "start": ["all"]}
    )  # fmt: skip
    result = gpu_sharing.replay({"sm_curves": curves(), "mixes": mixes({"m": ["SHA1"]})}, scenario)
    assert result["rounds"].sort("round")["sms"].to_list() == path
    assert result["outcomes"].select("sms", "throughput").rows() == [(9, 162.0)]
    values = metrics(result)["s"]
    assert (values["qos_met"], values["spare_sms"], values["least_sms"]) == (1, 21, 9)
    assert (values["rounds"], values["violations"]) == (len(path) - 1, 0)


def random_batch(seed: int, scenarios: int = 60):
    random = np.random.default_rng(seed)
    apps = 4
    mix_rows = mixes({f"m{i}": random.integers(apps, size=random.integers(1, 4)).tolist() for i in range(20)})
    size = dict(mix_rows.group_by("mix_id").len().rows())
    mix = [f"m{i}" for i in random.integers(20, size=scenarios)]
    rows = {
        "scenario_id": [f"s{i:03d}" for i in range(scenarios)],
        "scheduler": random.choice(QOS, scenarios).tolist(),
        "mix_id": mix,
        "qos_level": random.choice([100.0, 95.0, 90.0, 85.0, 80.0], scenarios),
        "qos_slots": [sorted(random.permutation(size[m])[: random.integers(1, 3)].tolist()) for m in mix],
        "midpoint": random.choice([True, False], scenarios),
        "start": random.choice(["half", "all"], scenarios).tolist(),
        "spare": random.choice(["idle", "gated", "best_effort"], scenarios).tolist(),
        "decide_by": random.choice(["measured", "profile"], scenarios).tolist(),
        "gamma": random.choice([0.0, 0.003], scenarios),
    }
    known = pl.DataFrame(
        {"app": range(apps), "sensitivity": random.uniform(0, 2, apps), "pressure": random.random(apps)}
    )
    return {"sm_curves": curves(random, apps), "mixes": mix_rows, "apps": known}, pl.DataFrame(rows)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_sms_throughput_and_measures_belong_together(seed):
    inputs, scenarios = random_batch(seed)
    result = gpu_sharing.replay(inputs, scenarios)
    measures = metrics(result)
    ipc = {key: frame.sort("sms")["ipc"].to_list() for (key,), frame in inputs["sm_curves"].group_by("app")}
    known = {app: rest for app, *rest in inputs["apps"].rows()}
    for row in scenarios.iter_rows(named=True):
        outcome = result["outcomes"].filter(scenario_id=row["scenario_id"]).sort("slot").rows(named=True)
        values, k = measures[row["scenario_id"]], len(outcome)
        qos = [o for o in outcome if o["slot"] in row["qos_slots"]]
        others = [o for o in outcome if o["slot"] not in row["qos_slots"]]
        spare = 30 - sum(o["sms"] for o in qos)
        assert spare == values["spare_sms"] >= 0
        given = row["spare"] == "best_effort" and bool(others)
        assert sum(o["sms"] for o in others) == (spare if given else 0)
        for i, o in enumerate(outcome):
            pressed = sum(known[p["app"]][1] * p["sms"] for j, p in enumerate(outcome) if j != i)
            alone = ipc[o["app"]][o["sms"] - 1] if o["sms"] else 0.0
            assert o["throughput"] == pytest.approx(alone / (1 + row["gamma"] * known[o["app"]][0] * pressed))
            assert o["speedup"] == pytest.approx(o["throughput"] / (ipc[o["app"]][29] / k))
        met = [o["throughput"] >= row["qos_level"] / 100 * ipc[o["app"]][29] / 2 * (1 - 1e-9) for o in qos]
        assert values["qos_met"] == pytest.approx(np.mean(met))
        watts = 0.0 if given else 3.4 if row["spare"] == "gated" else 2.2
        assert values["saved_w"] == pytest.approx(spare * watts)
        if given:
            gain = sum(o["throughput"] for o in others) / sum(ipc[o["app"]][29] / k for o in others)
            assert values["best_effort_gain"] == pytest.approx(gain)
        else:
            assert values["best_effort_gain"] is None
        if row["scheduler"] == "profile_minimum" and row["decide_by"] == "measured":
            assert (values["least_sms"] is None) == (values["qos_met"] < 1)
            assert values["least_sms"] in (None, 30 - spare)
        elif values["qos_met"] == 1:
            # Fewer than the fewest would not do.
            assert 30 - spare >= values["least_sms"]


def test_rounds_end_in_the_outcomes_and_count():
    inputs, scenarios = random_batch(5)
    result = gpu_sharing.replay(inputs, scenarios)
    dynamic = scenarios.filter(scheduler="dynamic_linear")["scenario_id"].to_list()
    assert sorted(result["rounds"]["scenario_id"].unique()) == sorted(dynamic)
    for scenario_id in dynamic:
        rounds = result["rounds"].filter(scenario_id=scenario_id)
        last = rounds.filter(round=rounds["round"].max()).sort("slot")
        outcome = result["outcomes"].filter(scenario_id=scenario_id).sort("slot")
        assert last["sms"].to_list() == outcome["sms"].to_list()
        assert last["throughput"].to_list() == outcome["throughput"].to_list()
        assert metrics(result)[scenario_id]["rounds"] == rounds["round"].max()


def test_neither_the_order_of_rows_nor_the_batch_matters():
    inputs, scenarios = random_batch(7)
    whole = gpu_sharing.replay(inputs, scenarios)
    shuffled = {name: frame.sample(fraction=1, shuffle=True, seed=1) for name, frame in inputs.items()}
    again = gpu_sharing.replay(shuffled, scenarios.sample(fraction=1, shuffle=True, seed=2))
    parts = [gpu_sharing.replay(inputs, part) for part in (scenarios[:13], scenarios[13:])]
    for name, frame in whole.items():
        order = [c for c in ("scenario_id", "round", "slot", "metric") if c in frame.columns]
        assert frame.sort(order).equals(again[name].sort(order))
        assert frame.sort(order).equals(pl.concat([part[name] for part in parts]).sort(order))


def test_scaling_all_ipc_scales_throughput_only():
    inputs, scenarios = random_batch(8)
    twice = inputs | {"sm_curves": inputs["sm_curves"].with_columns(pl.col("ipc") * 4)}
    one, four = (gpu_sharing.replay(tables, scenarios)["outcomes"] for tables in (inputs, twice))
    assert one["sms"].to_list() == four["sms"].to_list()
    assert (one["throughput"] * 4).to_list() == four["throughput"].to_list()


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("qos_level", 220.0, "unknown qos_level 220; known are per cent above 1 up to 200"),
        ("qos_level", 0.0, "unknown qos_level 0"),
        ("qos_slots", [2], "qos_slots names slot 2, which mix 'm' does not have; it has 0, 1"),
        ("qos_slots", [], "qos_slots is empty"),
        ("start", "quarter", "unknown start 'quarter'; known: all, half"),
        ("spare", "off", "unknown spare 'off'"),
        ("sms", 1, "2 applications, the GPU has 1 SMs"),
    ],
)
@pytest.mark.parametrize("scheduler", QOS)
def test_refusals(column, value, message, scheduler):
    inputs = {"sm_curves": curves(), "mixes": mixes({"m": ["SHA1", "SHA1"]})}
    scenario = pl.DataFrame({"scenario_id": ["s"], "scheduler": [scheduler], "mix_id": ["m"], column: [value]})
    if value == []:
        scenario = scenario.with_columns(pl.Series(column, [[]], dtype=pl.List(pl.Int64)))
    with pytest.raises(ValueError, match=message):
        gpu_sharing.replay(inputs, scenario)


def test_slots_with_names_are_counted_in_their_order():
    inputs = {"sm_curves": curves(), "mixes": mixes({"m": ["SHA1", "SHA1"]})}
    named = inputs | {"mixes": inputs["mixes"].with_columns(slot=pl.Series(["left", "right"]))}
    scenario = pl.DataFrame(
        {"scenario_id": ["s"], "scheduler": ["profile_minimum"], "mix_id": ["m"], "qos_slots": [[1]]}
    )
    one, other = (gpu_sharing.replay(tables, scenario)["outcomes"] for tables in (inputs, named))
    assert one["sms"].to_list() == other["sms"].to_list() == [0, 12]
    assert other["slot"].to_list() == ["left", "right"]
    beyond = scenario.with_columns(qos_slots=pl.lit([2]))
    with pytest.raises(ValueError, match="qos_slots names slot 2, which mix 'm' does not have; it has 0, 1"):
        gpu_sharing.replay(named, beyond)


def test_defaults_are_100_per_cent_of_slot_0_from_half_of_30_sms():
    inputs = {"sm_curves": curves(), "mixes": mixes({"m": ["SHA1"]})}
    bare = pl.DataFrame({"scenario_id": ["s"], "scheduler": ["dynamic_linear"], "mix_id": ["m"]})
    full = bare.with_columns(
        qos_level=100, qos_slots=pl.lit([0]), midpoint=False, start=pl.lit("half"), spare=pl.lit("idle"), sms=30,
        gamma=0, decide_by=pl.lit("measured"),
    )  # fmt: skip
    null = full.with_columns(pl.lit(None, full.schema[c]).alias(c) for c in full.columns if c not in bare.columns)
    results = [gpu_sharing.replay(inputs, frame) for frame in (bare, full, null)]
    assert results[0]["rounds"]["sms"].to_list()[0] == 15
    for name in ("outcomes", "metrics", "rounds"):
        assert results[0][name].equals(results[1][name])
        assert results[0][name].equals(results[2][name])


def test_targets_go_up_to_the_speed_on_the_whole_gpu():
    rows = {
        "scenario_id": ["160", "200"],
        "scheduler": ["profile_minimum"] * 2,
        "mix_id": ["m"] * 2,
        "qos_level": [160, 200],
    }
    inputs = {"sm_curves": curves(), "mixes": mixes({"m": ["SHA1"]})}
    measures = metrics(gpu_sharing.replay(inputs, pl.DataFrame(rows)))
    ipc = inputs["sm_curves"].filter(app="SHA1").sort("sms")
    enough = np.interp(np.arange(1, 31), ipc["sms"], ipc["ipc"]) >= 0.8 * ipc["ipc"][-1]
    assert measures["160"]["least_sms"] == 1 + int(np.argmax(enough))
    assert measures["160"]["qos_met"] == measures["200"]["qos_met"] == 1
    with pytest.raises(ValueError, match="up to 200"):
        gpu_sharing.replay(inputs, pl.DataFrame(rows).with_columns(qos_level=pl.lit(201)))
