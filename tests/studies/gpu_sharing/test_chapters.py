"""Workloads and scenarios of Chapters 4 and 5: the thesis' mixes, traces, what depends on what."""

import numpy as np
import polars as pl
import pytest

from pipeline import config, tables
from pipeline.studies import gpu_sharing
from pipeline.studies.gpu_sharing.workload.qos_and_variation import DIES

DROPPED = {
    "qos": {"dropped": {"curves": "dropped", "gamma": [0.0]}},
    "variation": {"dropped": {"curves": "dropped", "applications": [2], "gamma": 0.0}},
}
SMALL = {
    "fairness": {},
    "qos": {"chapter_5": {"members": 2}} | DROPPED["qos"],
    "variation": {
        "pairs": {"applications": [2], "members": 2, "maps": 2},
        "three": {"applications": [3], "members": 1, "maps": 2},
    }
    | DROPPED["variation"],
}


@pytest.fixture
def catalog() -> dict[str, pl.DataFrame]:
    """A trace of three applications on up to 30 SMs, one of which is known up to 20 only."""
    n = np.arange(1, 31)
    curves = [("a", n * 10.0), ("b", np.minimum(n, 12) * 20.0), ("c", (n * 5.0)[:20])]
    points = pl.concat(pl.DataFrame({"app": [app] * len(ipc), "sms": n[: len(ipc)], "ipc": ipc}) for app, ipc in curves)
    known = {"sm_curves": points.with_columns(trace=pl.lit("lab/gpu"), origin=pl.lit("measured"))}
    trace = pl.DataFrame({"trace": ["lab/gpu"], "drop": ["lab"], "kind": ["measured"]})
    frames = {}
    for name, frame in (known | {"traces": trace}).items():
        schema = tables.polars_schema(tables.CANONICAL[name])
        frames[name] = frame.select(
            pl.col(column).cast(dtype) if column in frame.columns else pl.lit(None, dtype).alias(column)
            for column, dtype in schema.items()
        )
    return frames


def prepared(sections: dict, catalog=None):
    parsed = config.parse({"gpu_sharing": sections})
    return gpu_sharing.workloads(parsed, catalog or {}), gpu_sharing.scenarios(parsed, catalog or {})


def test_points_beside_another_application_are_none_of_a_curve(catalog):
    sections = {**DROPPED, "fairness": {"pairs": {}}}
    slower = catalog["sm_curves"].filter(app="a", sms=15).with_columns(pl.col("ipc") / 2, beside=pl.lit("b"))
    with_pairs = catalog | {"sm_curves": pl.concat([slower, catalog["sm_curves"]])}
    alone, beside = (prepared(sections, known)[0]["sm_curves"] for known in (catalog, with_pairs))
    assert alone.equals(beside)


def test_mixes_are_those_of_the_thesis():
    workloads, _ = prepared(SMALL)
    of_kind = {
        (kind, size): frame["mix"].unique()
        for (kind, size), frame in workloads["workloads"].group_by("kind", "applications")
    }
    assert {key: len(mixes) for key, mixes in of_kind.items()} == {
        ("qos", 1): 3, ("qos", 2): 6 + 15, ("variation", 2): 25, ("variation", 3): 70,
    }  # fmt: skip
    assert {"SHA1", "JPEG-D+JPEG-D", "SHA1+Fractals"} <= {*of_kind["qos", 1], *of_kind["qos", 2]}
    slots = workloads["mixes"].group_by("mix_id").agg(pl.col("app").sort_by("slot").str.join("+"))
    named = workloads["workloads"].join(slots, left_on="workload_id", right_on="mix_id")
    assert (named["app"] == named["mix"]).all()


def test_everything_replays_and_targets_belong_to_qos_applications():
    workloads, scenarios = prepared(SMALL)
    result = gpu_sharing.replay(workloads, scenarios)
    assert set(result["metrics"]["scenario_id"]) == set(scenarios["scenario_id"])
    assert scenarios["scenario_id"].is_unique().all()
    targets = (
        result["outcomes"]
        .join(scenarios.filter(pl.col("qos_slots").is_not_null()), on="scenario_id")
        .filter(pl.col("qos_slots").list.contains(pl.col("slot")))
    )
    assert set(targets["app"]) == {"AES-D", "JPEG-D", "SHA1"}


def test_maps_in_the_tables_are_those_that_scenarios_name():
    workloads, scenarios = prepared(SMALL)
    maps = workloads["sm_maps"]
    assert set(maps["map_seed"]) == set(scenarios["map_seed"].drop_nulls())
    assert set(maps.group_by("map_seed", "sms").len().select("sms", "len").rows()) == {(n, n) for n in DIES}
    assert scenarios.filter(clocking="global")["map_seed"].null_count() == len(scenarios.filter(clocking="global"))


def test_the_same_again_and_fewer_members_are_the_first_of_more():
    workloads, scenarios = prepared(SMALL)
    again, _ = prepared(SMALL)
    assert all(frame.equals(again[name]) for name, frame in workloads.items())
    fewer, first = prepared(SMALL | {"qos": {"chapter_5": {"members": 1}}})
    assert set(first["scenario_id"]) < set(scenarios["scenario_id"])
    for name in ("sm_curves", "apps", "mixes"):
        assert fewer[name].join(workloads[name], on=fewer[name].columns, how="anti", nulls_equal=True).is_empty()


def test_curves_of_a_trace_give_every_application_a_target(catalog):
    sections = {"fairness": {}} | DROPPED
    workloads, scenarios = prepared(sections, catalog)
    mixes = {kind: set(frame["mix"]) for (kind,), frame in workloads["workloads"].group_by("kind")}
    assert mixes == {"qos": {"a", "b", "a+b", "b+a"}, "variation": {"a+b"}}  # c ends before 30 SMs
    result = gpu_sharing.replay(workloads, scenarios)
    sizes = result["outcomes"].join(scenarios, on="scenario_id").filter(scheduler="profile_minimum", qos_level=100.0)
    alone = sizes.filter(pl.col("mix_id").str.ends_with("/a") | pl.col("mix_id").str.ends_with("/b"))
    assert dict(alone.select("app", "sms").rows()) == {"a": 15, "b": 6}
    assert (workloads["apps"].is_empty(), workloads["sm_maps"].is_empty()) == (True, True)


@pytest.mark.parametrize(("sms", "machine"), [(None, 30), (20, 20)], ids=["own", "stated"])
def test_a_dropped_machine_is_as_large_as_its_longest_curve(catalog, sms, machine):
    sections = {"fairness": {}} | {
        kind: {"dropped": sweeps["dropped"] | {"sms": sms}} for kind, sweeps in DROPPED.items()
    }
    workloads, scenarios = prepared(sections, catalog)
    assert set(scenarios["sms"]) == {machine}
    reached = {"a", "b"} if machine == 30 else {"a", "b", "c"}
    assert set(workloads["mixes"]["app"]) == reached
    longer = catalog | {"sm_curves": catalog["sm_curves"].with_columns(pl.col("sms") * 2)}
    assert set(prepared(sections, longer)[1]["sms"]) == ({60} if sms is None else {20})


def test_on_a_gpu_of_one_sm_each_application_is_alone(catalog):
    sections = {"fairness": {}} | DROPPED
    workloads, scenarios = prepared(sections, catalog | {"sm_curves": catalog["sm_curves"].filter(sms=1)})
    assert sorted(workloads["workloads"]["mix"]) == ["a", "b", "c"]
    outcomes = gpu_sharing.replay(workloads, scenarios)["outcomes"]
    assert set(outcomes["sms"]) == {1}


def test_the_same_trace_on_machines_of_two_sizes_has_scenarios_of_each(catalog):
    sections = {"fairness": {}, "variation": {}} | {
        "qos": {name: DROPPED["qos"]["dropped"] | {"sms": sms} for name, sms in (("own", None), ("small", 20))}
    }
    _, scenarios = prepared(sections, catalog)
    # Alone and pairs of two applications that reach 30 SMs, of three that reach 20.
    sizes = scenarios.unique(["workload_id", "sms"]).group_by("sms").len().sort("sms").rows()
    assert sizes == [(20, 3 + 6), (30, 2 + 2)]


def test_parts_divide_the_configuration_among_drops(catalog):
    whole = config.parse({"gpu_sharing": SMALL})
    of_none, of_lab = (gpu_sharing.part(whole, catalog, drop) for drop in (None, "lab"))
    everything = gpu_sharing.scenarios(whole, catalog)["scenario_id"]
    parts = [gpu_sharing.scenarios(part, catalog)["scenario_id"] for part in (of_none, of_lab)]
    assert sorted(pl.concat(parts)) == sorted(everything)
    assert all("surrogate" in name for name in parts[0])
    assert len(parts[1]) and all("lab/gpu" in name for name in parts[1])


@pytest.mark.parametrize(
    ("section", "sweep", "message"),
    [
        ("qos", {"traces": ["lab/gpu"]}, "surrogate curves are drawn, of no trace"),
        ("qos", {"sms": 16}, "surrogate curves are of a GPU of 30 SMs, not 16"),
        ("qos", {"levels": [0.8]}, "levels"),
        ("variation", {}, "applications"),
    ],
)
def test_sweeps_that_make_no_sense_are_refused(section, sweep, message):
    with pytest.raises(ValueError, match=message):
        config.parse({"gpu_sharing": {section: {"mine": sweep}}})


def test_an_unknown_trace_is_named(catalog):
    sections = SMALL | {"qos": {"mine": {"curves": "dropped", "traces": ["lab/gpus"]}}}
    with pytest.raises(ValueError, match="lab/gpus"):
        prepared(sections, catalog)
