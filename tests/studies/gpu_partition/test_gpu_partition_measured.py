"""Task sets of measured curves: what is known of an application is kept, only the periods are drawn."""

import logging

import numpy as np
import polars as pl
import pytest

from pipeline import config, tables
from pipeline.fit import gpu
from pipeline.stages import fit as drop
from pipeline.stages import ingest
from pipeline.stages import scenarios as stages
from pipeline.studies import gpu_partition
from pipeline.studies.gpu_partition import model
from pipeline.studies.gpu_partition.model import simulate

LAWS = {"detect": (40.0, 0.5), "track": (8.0, 0.1), "encode": (2.0, 0.15)}
"""a and b of each application, s."""
MACHINE = 16


def catalog(laws=None, pairs=(), machine=MACHINE):
    """Canonical tables of a drop with curves that follow C(m) = a/m + b, and pairs (app_a, app_b, slowdowns)."""
    points = [
        {"trace": "cam", "app": app, "sms": m, "time_s": a / m + b, "ipc": None, "beside": None, "origin": "given"}
        for app, (a, b) in (laws or LAWS).items()
        for m in (2, machine // 2, machine)
    ]
    beside = [
        {"trace": "cam"} | dict(zip(("app_a", "app_b", "slowdown_a", "slowdown_b"), row, strict=True)) for row in pairs
    ]
    trace = {"trace": "cam", "drop": "cam", "status": "read", "kind": "measured", "jobs": 0, "samples": 0,
             "rejected": 0}  # fmt: skip
    ingested = {
        "traces": pl.DataFrame([trace]),
        "sm_curves": pl.DataFrame(points, schema=tables.polars_schema(tables.SmCurve)),
        "corun_pairs": pl.DataFrame(beside, schema=tables.polars_schema(tables.CorunPair)),
    }
    return ingested | gpu.fit(ingested["sm_curves"], ingested["corun_pairs"])


def made(known, seed=1, **sweep):
    others = dict.fromkeys(config.Configuration().gpu_partition.sweeps)
    sweep = {"workload": "measured", "tasks": [6], "sets": 4, "load": [0.3]} | sweep
    settings = config.parse({"seed": seed, "gpu_partition": {"sweeps": others | {"mine": sweep}}})
    return gpu_partition.workloads(settings, known), gpu_partition.scenarios(settings, known)


def test_what_was_measured_on_slices_is_put_on_slices():
    known = catalog(machine=14)
    known["sm_curves"] = known["sm_curves"].with_columns(mig_slices=pl.col("sms") // 2)
    inputs, scenarios = made(known)
    assert scenarios["sizes"].unique().to_list() == ["mig"]
    outcomes = gpu_partition.replay(inputs, scenarios.filter(scheduler="bf"))["outcomes"]
    assert set(outcomes["partition_sms"].drop_nulls()) <= {2, 4, 6, 8, 14}


def test_execution_times_are_those_that_were_measured():
    inputs, scenarios = made(catalog())
    result = gpu_partition.replay(inputs, scenarios.filter(pl.col("scheduler") != "optimal"))
    placed = (
        result["outcomes"]
        .drop_nulls("partition")
        .join(scenarios.select("scenario_id", "taskset_id"), on="scenario_id")
        .join(inputs["tasks"], on=["taskset_id", "task_id"])
        .filter(~pl.col("conflict"))
    )
    law = pl.struct(*(pl.col("app").replace_strict({k: v[i] for k, v in LAWS.items()}).alias("ab"[i]) for i in (0, 1)))
    expected = placed.select(law.struct.field("a") / pl.col("partition_sms") + law.struct.field("b")).to_series()
    assert len(placed) > 20
    assert placed["execution_time"].to_list() == pytest.approx(expected.to_list())


def test_a_set_has_the_load_asked_for_on_the_gpu_of_the_curves():
    inputs, scenarios = made(catalog(), load=[0.25, 0.5])
    assert set(scenarios["sms"]) == {MACHINE}
    assert set(scenarios["execution_mode"]) == {"literal"}
    facts = inputs["workloads"]
    assert set(facts["utilisation"]) == {0.25 * MACHINE, 0.5 * MACHINE}
    assert facts.select("kind", "origin", "trace").unique().rows() == [("measured", "composed", "cam")]
    tasks = inputs["tasks"].join(facts.select("utilisation", taskset_id="workload_id"), on="taskset_id")
    loads = tasks.group_by("taskset_id").agg((pl.col("work") / pl.col("period")).sum(), pl.col("utilisation").first())
    assert loads["work"].to_list() == pytest.approx(loads["utilisation"].to_list())
    assert (tasks["deadline"] == 0.75 * tasks["period"]).all()
    # Nothing is late alone on the whole GPU.
    alone = tasks["work"] / MACHINE + tasks["serial_fraction"] * tasks["work"]
    assert (alone <= tasks["deadline"] * (1 + 1e-9)).all()


def test_applications_occur_equally_often_as_far_as_they_go():
    tasks = made(catalog(), tasks=[7])[0]["tasks"]
    for _, task_set in tasks.group_by("taskset_id"):
        assert sorted(task_set["app"].value_counts()["count"]) == [2, 2, 3]
        assert task_set["task_id"].n_unique() == 7
    fewer = made(catalog(), tasks=[2], sets=30)[0]["tasks"]
    assert set(fewer["app"]) == set(LAWS)
    assert fewer.group_by("taskset_id").agg(pl.col("app").n_unique())["app"].to_list() == [2] * 30


def test_measured_and_assumed_conflicts_are_told_apart():
    # All three are of one kind on so coarse a curve.
    tasks = made(catalog(pairs=[("detect", "track", 1.7, 1.3)]))[0]["tasks"]
    by_app = {row["app"]: row for row in tasks.iter_rows(named=True)}
    assert (by_app["detect"]["conflict_factor"], by_app["detect"]["conflict_origin"]) == (1.7, "measured")
    assert (by_app["track"]["conflict_factor"], by_app["track"]["conflict_origin"]) == (1.3, "measured")
    assert (by_app["encode"]["conflict_factor"], by_app["encode"]["conflict_origin"]) == (None, "assumed")
    assert tasks.select("cost_origin", "period_origin").unique().rows() == [("fitted", "synthetic")]
    assert set(tasks["least_sms"]) == {2}


def test_pairs_of_a_generated_trace_are_no_measured_conflicts():
    known = catalog(pairs=[("detect", "track", 1.7, 1.3)])
    tasks = made(known | {"traces": known["traces"].with_columns(kind=pl.lit("generated"))})[0]["tasks"]
    assert set(tasks.filter(app="detect")["conflict_origin"]) == {"generated"}


def test_a_set_depends_on_its_own_key_only():
    whole = made(catalog(), load=[0.3, 0.4])[0]["tasks"]
    few = made(catalog(), load=[0.4], sets=2)[0]["tasks"]
    assert whole.filter(pl.col("taskset_id").is_in(few["taskset_id"].unique().implode())).equals(few)
    assert not made(catalog(), seed=2, load=[0.4], sets=2)[0]["tasks"].equals(few)


def test_accepted_partitions_keep_all_deadlines():
    inputs, scenarios = made(
        catalog(), sets=20, load=[0.2, 0.3, 0.4], schedulers=["sms", "bf", "local_search", "optimal"]
    )
    result = gpu_partition.replay(inputs, scenarios)
    accepted = result["metrics"].filter((pl.col("metric") == "schedulable") & (pl.col("value") == 1))
    rows = (
        result["outcomes"]
        .join(accepted.select("scenario_id"), on="scenario_id")
        .join(scenarios.select("scenario_id", "taskset_id"), on="scenario_id")
        .join(inputs["tasks"], on=["taskset_id", "task_id"], maintain_order="left")
    )
    shared = 0
    for _, partition_rows in rows.group_by("scenario_id", "partition", maintain_order=True):
        C, T, D = (partition_rows[name].to_numpy() for name in ("execution_time", "period", "deadline"))
        # Periods have no common multiple: a hundred of the longest instead of a hyperperiod.
        miss, _ = simulate.first_miss(C, T, D, np.zeros(len(C)), 100 * T.max(), model.EDF)
        assert miss == simulate.NO_MISS
        shared += len(C) > 1
    assert shared > 50


def test_loads_that_the_applications_are_too_serial_for_are_left_out_with_a_word(caplog):
    # Half of the time of each run no SM makes shorter: at most 0.75 / (1/16 + 1) of an SM each.
    known = catalog({"serial": (1.0, 1.0)})
    with caplog.at_level(logging.WARNING):
        inputs, scenarios = made(known, tasks=[2], load=[0.05, 0.5], sets=1)
    assert inputs["workloads"]["workload_id"].to_list() == ["measured/cam-n2-load0.05/s000"]
    assert set(scenarios["workload_id"]) == {"measured/cam-n2-load0.05/s000"}
    assert "measured/cam-n2-load0.5/s000 is left out: 2 tasks of at most 0.70" in caplog.text


def test_slices_and_other_sizes_of_the_gpu_can_be_asked_for():
    scenarios = made(catalog(), sms=[14, 16], sizes=["any", "mig"], sets=1, schedulers=["sms"])[1]
    assert sorted(scenarios.select("sms", "sizes").rows()) == [(14, "any"), (14, "mig"), (16, "any"), (16, "mig")]
    assert set(scenarios["workload_id"]) == {"measured/cam-n6-load0.3/s000", "measured/cam-n6-load0.3-m14/s000"}


def test_a_trace_without_curves_is_said():
    known = catalog()
    bare = {"traces": known["traces"]}
    with pytest.raises(ValueError, match="trace 'cam' has no SM curves that tasks can be made of"):
        made(bare, traces=["cam"])
    with pytest.raises(ValueError, match="trace 'camm' is not among the traces; did you mean 'cam'"):
        made(known, traces=["camm"])
    assert made(bare)[1].is_empty()


def test_sets_of_curves_hang_on_their_drop():
    sweeps = {"mine": {"workload": "measured"}, "drawn": {"workload": "generated"}}
    others = dict.fromkeys(config.Configuration().gpu_partition.sweeps)
    settings = config.parse({"gpu_partition": {"sweeps": others | sweeps}})
    part = gpu_partition.part(settings, catalog(), "cam").gpu_partition.sweeps
    assert list(part) == ["mine"]
    assert part["mine"].traces == ["cam"]
    assert list(gpu_partition.part(settings, catalog(), None).gpu_partition.sweeps) == ["drawn"]


@pytest.mark.real
def test_curves_of_an_a100_become_sets_that_are_partitioned(trace_data, tmp_path):
    folder = tmp_path / "a100"
    folder.mkdir()
    (folder / "sm_curve.csv").write_bytes((trace_data / "gpu" / "miso_mig_iteration_times.csv").read_bytes())
    (folder / "trace.yaml").write_text("columns: {app: [model, batch], time_s: iter_s_median}\n")
    ingest.ingest(folder, tmp_path / "ingest")
    drop.fit(tmp_path / "ingest", tmp_path / "fit")
    known = stages.catalog([tmp_path / "ingest", tmp_path / "fit"])
    costs = known["task_costs"]
    assert (len(costs), costs["machine_sms"].unique().to_list()) == (32, [98])
    assert costs["r2"].median() > 0.97
    # Trained at several batch sizes, a model has more work with each.
    work = dict(costs.select("app", "work").iter_rows())
    assert work["resnet/64"] < work["resnet/128"] < work["resnet/256"] < work["resnet/512"]
    inputs, scenarios = made(known, tasks=[10], sizes=["any", "mig"])
    result = gpu_partition.replay(inputs, scenarios)
    held = result["metrics"].filter(pl.col("metric") == "schedulable").join(scenarios, on="scenario_id")
    of = {key: frame["value"].to_list() for key, frame in held.group_by("scheduler", "sizes")}
    assert of["sms", "any"] == [1.0] * 4
    assert sum(of["optimal", "any"]) >= sum(of["sms", "any"])
