"""Workloads of gpu_sharing, sets of curves, and what is refused in a sentence."""

from random import Random

import polars as pl
import pytest
from gpu_sharing_cases import random_curves, scenario_table, tables

from pipeline import config
from pipeline.studies import gpu_sharing

MIXES = {"m1": ["A", "B"], "m4": ["A", "B", "C", "D"]}


@pytest.fixture
def inputs():
    return tables(random_curves(Random(1), 16, "ABCD"), MIXES)


def asked(scheduler, **columns):
    return scenario_table({f"{scheduler} {m}": {"scheduler": scheduler, "mix_id": m, **columns} for m in MIXES})


def test_sets_of_curves_do_not_mix():
    curves = pl.DataFrame({"curve_set": ["x", "y"], "app": "A", "sms": 4, "ipc": [8.0, 80.0]})
    mixes = pl.DataFrame({"mix_id": ["m", "n"], "slot": 0, "app": "A", "curve_set": ["x", "y"]})
    rows = scenario_table({m: {"scheduler": "equal_compute", "mix_id": m, "sms": 4} for m in ("m", "n")})
    result = gpu_sharing.replay({"sm_curves": curves, "mixes": mixes}, rows)["outcomes"]
    assert result["throughput"].to_list() == [8.0, 80.0]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"sms": 3}, "mix 'm4' has 4 applications, the GPU has 3 SMs; each needs at least one"),
        ({"sms": 17}, "known up to 16 SMs, the GPU has 17"),
        ({"sms": 0}, "sms is 0 in row 1"),
        ({"gamma": -1.0}, "gamma is -1.0 in row 1"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(inputs, change, sentence):
    row = {"scheduler": "equal_speedup", "mix_id": "m4"} | change
    with pytest.raises(ValueError, match=sentence):
        gpu_sharing.replay(inputs, scenario_table({"s": row}))


def test_broken_inputs_are_refused_in_a_sentence(inputs):
    rows = asked("equal_speedup")
    curves, mixes = inputs["sm_curves"], inputs["mixes"]
    for table, frame, sentence in (
        ("sm_curves", pl.concat([curves, curves.head(1)]), "app 'A' has 1 SMs twice"),
        ("sm_curves", curves.with_columns(pl.lit(-1.0).alias("ipc")), "ipc is -1.0 in row 1"),
        ("sm_curves", curves.filter(pl.col("app") != "D"), "unknown app 'D' in mix 'm4'; sm_curves has A, B, C"),
        ("sm_curves", curves.with_columns(pl.lit(0.0).alias("ipc")), "has no throughput on 16 SMs"),
        ("mixes", pl.concat([mixes, mixes.head(1)]), "slot 0 occurs twice in mix 'm1'"),
    ):
        with pytest.raises(ValueError, match=sentence):
            gpu_sharing.replay(inputs | {table: frame}, rows)


def test_workloads_of_the_default_configuration_replay():
    settings = config.Configuration()
    catalog = {
        "traces": pl.DataFrame({"trace": ["t"], "drop": ["t"], "kind": ["measured"]}),
        "sm_curves": inputs_of_trace(),
    }
    workloads = gpu_sharing.workloads(settings, catalog)
    scenarios = gpu_sharing.scenarios(settings, catalog)
    assert scenarios["scenario_id"].is_unique().all()
    assert set(scenarios["mix_id"]) == set(workloads["mixes"]["mix_id"]) == set(workloads["workloads"]["workload_id"])
    rows = workloads["workloads"].filter(pl.col("trace") == "t")
    assert set(rows.filter(pl.col("kind") == "stated")["mix"]) == {"A+B"}
    assert set(rows.filter(applications=2, kind="mixes")["mix"]) == {"A+B", "A+C", "B+C"}
    # An application with times only: twice as fast on twice the SMs.
    timed = workloads["sm_curves"].filter(pl.col("app") == "C", pl.col("curve_set") == "t")
    assert timed["ipc"].to_list() == [0.5, 1.0]
    result = gpu_sharing.replay(workloads, scenarios.filter(pl.col("mix_id").str.contains("/t/")))
    assert result["outcomes"]["scenario_id"].n_unique() == scenarios["mix_id"].str.contains("/t/").sum()


def test_a_name_with_a_slash_is_a_mix_only_where_it_names_one_and_the_machine_is_the_traces_own():
    points = [(f"bert/{batch}", sms, 10.0 / sms) for batch in (2, 4) for sms in (14, 98)]
    curves = pl.DataFrame(points, schema=["app", "sms", "time_s"], orient="row")
    catalog = {
        "traces": pl.DataFrame({"trace": ["t"], "drop": ["t"], "kind": ["measured"]}),
        "sm_curves": curves.with_columns(trace=pl.lit("t"), ipc=pl.lit(None, pl.Float64)),
    }
    settings = config.Configuration()
    rows = gpu_sharing.workloads(settings, catalog)["workloads"].filter(trace="t", kind="mixes")
    assert rows["mix"].to_list() == ["bert/2+bert/4"]
    scenarios = gpu_sharing.scenarios(settings, catalog)
    assert set(scenarios.filter(workload_id=rows["workload_id"][0])["sms"]) == {98}


def test_mixes_of_more_applications_than_sms_are_left_out_and_told(caplog):
    sweep = {"mixes": "all", "applications": [2, 3], "sms": [2]}
    settings = config.parse({"gpu_sharing": {"fairness": {"few": sweep}, "qos": {}, "variation": {}}})
    catalog = {
        "traces": pl.DataFrame({"trace": ["t"], "drop": ["t"], "kind": ["measured"]}),
        "sm_curves": inputs_of_trace(),
    }
    with caplog.at_level("WARNING"):
        result = gpu_sharing.workloads(settings, catalog)["workloads"]
    assert set(result["applications"]) == {2}
    assert caplog.messages == ["t: no mixes of 3 applications on 2 SMs; each needs one"]


def test_splits_are_tried_up_to_a_million_and_maps_are_made_of_as_many_sms_as_have_a_place(caplog):
    points = pl.DataFrame({"trace": "t", "app": ["A", "B", "C"], "sms": 9990, "time_s": None, "ipc": [1.0, 2.0, 3.0]})
    catalog = {
        "traces": pl.DataFrame({"trace": ["t"], "drop": ["t"], "kind": ["measured"]}),
        "sm_curves": points.cast({"time_s": pl.Float64}),
    }
    with caplog.at_level("WARNING"):
        result = gpu_sharing.workloads(config.Configuration(), catalog)["workloads"].filter(trace="t")
    assert set(result["applications"]) == {1, 2} and "variation" not in result["kind"]
    assert "3 applications on 9990 SMs: they can be split in 49885066 ways" in caplog.messages[0]


def inputs_of_trace():
    points = [("A", 16, None, 5.0), ("B", 16, None, 7.0), ("A+B/A", 16, None, 4.0), ("A+B/B", 16, None, 6.0),
              ("C", 8, 2.0, None), ("C", 16, 1.0, None), ("short", 8, None, 3.0)]  # fmt: skip
    return pl.DataFrame(points, schema=["app", "sms", "time_s", "ipc"], orient="row").with_columns(trace=pl.lit("t"))
