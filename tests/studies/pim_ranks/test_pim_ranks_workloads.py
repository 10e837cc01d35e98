"""Workloads and scenario tables of pim_ranks: the paper's mixes, arrivals, proxies, tables and queues of drops."""

import json

import examples
import numpy as np
import polars as pl
import pytest
from scipy import stats

from pipeline import config, tables
from pipeline.fit.measured_shapes import TABLE_2
from pipeline.stages import fit as fit_drop
from pipeline.stages import ingest
from pipeline.stages import replay as stage
from pipeline.stages import scenarios as stages
from pipeline.studies import pim_ranks
from pipeline.studies.pim_ranks import sets
from pipeline.tables.results import Run, parameter_columns

GROUP_1, GROUP_2 = {"BS", "GEMV", "MLP", "TS"}, set(TABLE_2) - {"BS", "GEMV", "MLP", "TS"}


def configuration(seed=1, **sweeps):
    sweeps = {
        name: None if s is None else {"workload": "sets", "batches": 2, "members": 2} | s for name, s in sweeps.items()
    }
    return config.parse({"seed": seed, "pim_ranks": {"sweeps": sweeps}})


def made(catalog=None, seed=1, **sweeps):
    """Inputs of the replay and scenarios."""
    settings = configuration(seed, **sweeps)
    return pim_ranks.workloads(settings, catalog or {}), pim_ranks.scenarios(settings, catalog or {})


def catalog(ranks=8):
    """A drop with tables of four applications on 8 ranks, a queue of two of them, stages and requests."""
    apps = {"BS": 6, "VA": 1, "TS": 8, "OWN": 2}
    perf = [
        ("mine", app, app, r, 4.0 / min(r, best) + 1, 1.0, r == best, "measured", "given", True)
        for app, best in apps.items()
        for r in range(1, ranks + 1)
    ]
    unused = ("mine", "BS (2)", "BS", 1, 99.0, 1.0, True, "measured", "given", False)
    queue = [("mine", "b", "OWN", 5.0), ("mine", "a", "VA", 2.0)]
    one = [("mine", app, 0, "kernel", None, 1.0, 4.0, 1.0, 0.0) for app in apps]
    trace = {
        "trace": "mine",
        "drop": "mine",
        "status": "read",
        "kind": "generated",
        "jobs": 2,
        "samples": 0,
        "rejected": 0,
    }
    frames = {
        "traces": pl.DataFrame([trace | {"ranks": ranks}]),
        "perf_tables": pl.DataFrame([*perf, unused], schema=tables.polars_schema(tables.PerfTable), orient="row"),
        "queues": pl.DataFrame(queue, schema=tables.polars_schema(tables.QueuedApp), orient="row"),
        "pim_stages": pl.DataFrame(one, schema=tables.polars_schema(tables.PimStage), orient="row"),
        "pim_requests": pl.DataFrame(
            [("mine", app, best) for app, best in apps.items()],
            schema=tables.polars_schema(tables.PimRequest),
            orient="row",
        ),
    }
    return {name: tables.conform(frame, tables.CANONICAL[name]) for name, frame in frames.items()}


def test_the_groups_are_those_of_table_2():
    assert set(sets.GROUP_1) == GROUP_1
    assert set(sets.GROUP_2) == GROUP_2
    assert [TABLE_2[app] for app in ("BS", "GEMV", "MLP", "TS", "HST-L")] == [11, 6, 21, 16, 6]


def test_sets_have_the_mixes_of_table_2():
    inputs, _ = made(sets={"jobs": [12, 24, 36], "batches": 30, "members": 1})
    facts = inputs["workloads"]
    assert facts.group_by("set_name", "jobs").len()["len"].to_list() == [30] * 15
    counted = inputs["queue"].join(facts, on="workload_id").with_columns(first=pl.col("app").is_in(list(GROUP_1)))
    shares = counted.group_by("workload_id", "set_name").agg(pl.col("first").mean()).group_by("set_name").agg(
        pl.col("first").unique()
    )  # fmt: skip
    assert dict(shares.iter_rows()) == {
        "W1": [1.0], "W2": [pytest.approx(2 / 3)], "W3": [0.5], "W4": [pytest.approx(1 / 3)], "W5": [0.0]
    }  # fmt: skip
    assert set(inputs["queue"]["arrival_s"]) == {0.0}


def test_applications_are_uniform_inside_their_group_and_shuffled():
    inputs, _ = made(sets={"sets": ["3"], "batches": 200, "members": 1})
    queue = inputs["queue"].with_columns(first=pl.col("app").is_in(list(GROUP_1)))
    for group in (GROUP_1, GROUP_2):
        counts = queue.filter(pl.col("app").is_in(list(group)))["app"].value_counts()["count"]
        assert len(counts) == len(group)
        assert stats.chisquare(counts).pvalue > 1e-3
    # the place in the queue tells nothing of the group
    by_place = queue.group_by("job_id").agg(pl.col("first").sum())["first"]
    assert stats.chisquare(by_place).pvalue > 1e-3


def test_the_same_seed_gives_the_same_sets_and_another_seed_others():
    one, again, other = (made(seed=seed, sets={}) for seed in (1, 1, 2))
    assert all(one[0][name].equals(again[0][name]) for name in one[0])
    assert one[1].equals(again[1])
    assert not one[0]["queue"].equals(other[0]["queue"])
    assert not one[0]["perf_tables"].equals(other[0]["perf_tables"])


def test_more_batches_members_and_sizes_leave_the_others_as_they_are():
    few, many = made(sets={})[0], made(sets={"batches": 3, "members": 4, "jobs": [12, 24]})[0]
    assert few["queue"].join(many["queue"], on=few["queue"].columns, how="anti").is_empty()
    assert few["perf_tables"].join(many["perf_tables"], on=few["perf_tables"].columns, how="anti").is_empty()


def test_poisson_arrivals_offer_the_load():
    """Rank-seconds on best ranks that arrive in a second are load x ranks, on the tables they are made for."""
    load, ranks = 0.7, 14
    inputs, scenarios = made(
        sets={
            "sets": ["4"],
            "arrival": "poisson",
            "load": [load],
            "ranks": [ranks],
            "batches": 40,
            "jobs": [400],
            "members": 1,
        }
    )
    best = inputs["best_ranks"].with_columns(ranks=pl.min_horizontal("best_ranks", pl.lit(ranks)))
    work = best.join(inputs["perf_tables"], on=["table_id", "app", "ranks"]).select(
        "app", work=pl.col("ranks") * pl.col("time_s")
    )
    queue = inputs["queue"].join(work, on="app")
    offered = queue["work"].sum() / (
        queue.group_by("workload_id").agg(pl.col("arrival_s").max())["arrival_s"].sum() * ranks
    )
    assert offered == pytest.approx(load, rel=0.05)
    gaps = (
        inputs["queue"]
        .sort("workload_id", "arrival_s")["arrival_s"]
        .diff()
        .filter(pl.Series(np.arange(16000) % 400 > 0))
    )
    assert stats.kstest(gaps, "expon", args=(0, gaps.mean())).pvalue > 1e-3
    assert set(scenarios["ranks"]) == {ranks}
    assert scenarios["table_id"].unique().to_list() == ["measured_shapes/0000"]


def test_scenarios_are_the_product_of_what_makes_a_difference():
    _, scenarios = made(
        sets={"sets": ["3"], "window": [3, 6], "perf_at": ["leftover", "available"], "ooo_window": [None, 6]}
    )
    count = dict(scenarios["scheduler"].value_counts().iter_rows())
    assert count == {"se_full": 4, "se_opt": 4, "sm_opt_fcfs": 4, "sm_opt_ooo": 8, "pim_care": 16, "care_floor": 16}
    assert scenarios["scenario_id"].is_unique().all()
    assert scenarios["scenario_id"].is_sorted()
    assert scenarios.columns == [c for c in {**Run.columns(), **parameter_columns(pim_ranks.STUDY)} if c != "study"]


def test_the_search_is_asked_for_small_sets_only():
    _, scenarios = made(sets={"sets": ["3"], "jobs": [8, 9]})
    searched = scenarios.filter(scheduler="optimal")["workload_id"]
    assert set(searched.str.extract(r"-n(\d+)")) == {"8"}


def test_replays_of_every_kind_of_workload_run():
    kinds = {
        "sets": {"sets": ["2"], "jobs": [5]},
        "arrivals": {"sets": ["2"], "arrival": "poisson"},
        "virtual_pim": {"workload": "virtual_pim", "ranks": [14], "batches": 1},
    }
    inputs, scenarios = made(**kinds)
    result = pim_ranks.replay(inputs, scenarios)
    assert set(scenarios["scheduler"]) == set(pim_ranks.SCHEDULERS)
    assert result["outcomes"]["rejected"].null_count() == len(result["outcomes"]) > 0
    assert set(result["metrics"]["scenario_id"]) == set(scenarios["scenario_id"])


def test_a_proxy_alone_under_coarse_takes_as_long_as_its_table_says():
    inputs, scenarios = made(virtual_pim={"workload": "virtual_pim", "ranks": [14], "members": 1, "batches": 1})
    apps = sorted(TABLE_2)
    queue = pl.DataFrame({"workload_id": apps, "job_id": apps, "app": apps, "arrival_s": [0.0] * len(apps)})
    alone = inputs | {"queue": queue}
    for table_id in scenarios["table_id"].unique():
        rows = alone["queue"].select(
            "workload_id",
            scenario_id="app",
            scheduler=pl.lit("virtual_pim_coarse"),
            ranks=14,
            table_id=pl.lit(table_id),
        )
        ends = pim_ranks.replay(alone, rows)["outcomes"].select(app="scenario_id", ranks="ranks", end_s="end_s")
        times = inputs["perf_tables"].filter(table_id=table_id)
        both = ends.join(times, on=["app", "ranks"], how="left")
        assert both["end_s"].to_list() == pytest.approx(both["time_s"].to_list())


def test_proxies_of_the_fifth_set_are_host_heavy():
    inputs, scenarios = made(virtual_pim={"workload": "virtual_pim", "ranks": [14], "members": 1, "batches": 1})
    facts = inputs["workloads"]
    assert set(facts["origin"]) == {"proxy"}
    shares = dict(facts.select("set_name", "host_share").iter_rows())
    assert shares["VW5"] > 3 * max(share for name, share in shares.items() if name != "VW5")
    host = inputs["stages"].group_by("table_id", "app").agg(pl.col("time_s").sum())
    least = inputs["perf_tables"].group_by("table_id", "app").agg(pl.col("time_s").min().alias("least"))
    share = host.join(least, on=["table_id", "app"]).with_columns(share=pl.col("time_s") / pl.col("least"))
    wanted = share.join(
        scenarios.join(facts, on="workload_id").select("table_id", "host_share").unique(), on="table_id", how="left"
    )
    assert wanted["share"].to_list() == pytest.approx(wanted["host_share"].to_list())
    # SCAN-RSS: two kernels, so that Fine sends its input twice
    kernels = inputs["stages"].filter(kind="kernel").group_by("table_id", "app").len()
    assert set(kernels.filter(app="SCAN-RSS")["len"]) == {2}
    assert set(kernels.filter(app="VA")["len"]) == {1}


def test_tables_of_a_drop_are_its_chosen_ones_and_bring_their_machine():
    inputs, scenarios = made(catalog(), dropped={"tables": "dropped", "sets": ["1", "2", "3", "4", "5"]})
    assert set(inputs["queue"]["app"]) == {"BS", "TS", "VA"}  # OWN is in no group
    assert set(scenarios["table_id"]) == {"mine"}
    assert set(scenarios["ranks"]) == {8}
    assert inputs["perf_tables"].filter(app="BS").height == 8
    assert dict(inputs["best_ranks"].select("app", "best_ranks").iter_rows()) == {"BS": 6, "OWN": 2, "TS": 8, "VA": 1}
    assert set(inputs["workloads"]["origin"]) == {"generated"}
    assert pim_ranks.replay(inputs, scenarios)["metrics"]["value"].null_count() == 0


def only(world: dict, *apps: str) -> dict:
    """The catalog of a drop with tables of some applications and no queue."""
    return {
        "traces": world["traces"],
        "perf_tables": world["perf_tables"].filter(pl.col("app").is_in(apps)),
    }


def test_applications_outside_table_2_have_uniform_sets():
    inputs, scenarios = made(only(catalog(), "OWN"), dropped={"tables": "dropped"})
    facts = inputs["workloads"]
    assert set(facts["set_name"]) == {"uniform"}
    assert set(facts["kind"]) == {"sets"} and set(facts["trace"]) == {"mine"}
    assert set(inputs["queue"]["app"]) == {"OWN"}
    assert pim_ranks.replay(inputs, scenarios)["metrics"]["value"].null_count() == 0
    # Beside the mixes of Table 2 where the drop has applications of it, too; without others these have them all.
    both, _ = made(catalog(), dropped={"tables": "dropped"})
    assert set(both["workloads"]["set_name"]) == {"W1", "W2", "W3", "W4", "W5", "uniform"}
    known, _ = made(only(catalog(), "BS", "VA"), dropped={"tables": "dropped"})
    assert "uniform" not in set(known["workloads"]["set_name"])


def test_uniform_sets_are_drawn_uniformly_among_all_applications():
    inputs, _ = made(catalog(), dropped={"tables": "dropped", "sets": ["uniform"], "batches": 200})
    counts = inputs["queue"]["app"].value_counts()
    assert set(counts["app"]) == {"BS", "OWN", "TS", "VA"}
    assert stats.chisquare(counts["count"].to_numpy()).pvalue > 1e-4


def test_uniform_sets_are_of_drops():
    with pytest.raises(config.ConfigurationError, match="uniform draws among the applications of a drop"):
        configuration(sets={"sets": ["uniform"]})
    inputs, _ = made(sets={"sets": ["3", "uniform"]})
    assert set(inputs["workloads"]["set_name"]) == {"W3"}


def test_queues_of_a_drop_run_with_its_own_tables_and_stages():
    inputs, scenarios = made(catalog(), queue={"workload": "queue"})
    assert inputs["queue"].rows() == [("queue/mine", "a", "VA", 2.0), ("queue/mine", "b", "OWN", 5.0)]
    assert set(scenarios["scheduler"]) == set(pim_ranks.SCHEDULERS)
    without = {k: v for k, v in catalog().items() if k not in ("pim_stages", "pim_requests")}
    _, fewer = made(without, queue={"workload": "queue"})
    assert set(pim_ranks.SCHEDULERS) - set(fewer["scheduler"]) == {
        "virtual_pim_coarse",
        "virtual_pim_coop",
        "virtual_pim_fine",
    }
    outcomes = pim_ranks.replay(inputs, scenarios)["outcomes"].filter(pl.col("scenario_id").str.contains("/se_opt/"))
    assert outcomes.select("job_id", "ranks", "start_s", "end_s").rows() == [("a", 1, 2.0, 7.0), ("b", 2, 7.0, 10.0)]


def test_parts_hang_on_their_drop():
    settings = configuration(sets={}, dropped={"tables": "dropped"}, queue={"workload": "queue"}, none=None)
    world = catalog()
    synthetic = pim_ranks.part(settings, world, None)
    assert set(synthetic.pim_ranks.sweeps) == {"sets"}
    of_drop = pim_ranks.part(settings, world, "mine").pim_ranks.sweeps
    assert {name: sweep.traces for name, sweep in of_drop.items()} == {"dropped": ["mine"], "queue": ["mine"]}
    other = pim_ranks.part(settings, world, "other").pim_ranks.sweeps
    assert {name: sweep.traces for name, sweep in other.items()} == {"dropped": [], "queue": []}


def test_a_trace_that_is_not_there_or_lacks_tables_is_named():
    with pytest.raises(ValueError, match=r"minee.*did you mean 'mine'"):
        made(catalog(), queue={"workload": "queue", "traces": ["minee"]})
    lacking = catalog()
    lacking["perf_tables"] = lacking["perf_tables"].filter(pl.col("app") != "OWN")
    with pytest.raises(ValueError, match=r"mine.*lacks performance tables"):
        made(lacking, queue={"workload": "queue", "traces": ["mine"]})
    assert made(lacking, queue={"workload": "queue"})[1].is_empty()
    settings = configuration(dropped={"tables": "dropped", "traces": ["mine/x"]})
    with pytest.raises(ValueError, match="no trace 'mine/x'"):
        pim_ranks.part(settings, catalog(), "mine")
    with pytest.raises(ValueError, match=r"no scheduler 'pim_car'; did you mean 'pim_care'"):
        made(sets={"schedulers": ["pim_car"]})


def test_what_does_not_go_together_is_refused_by_the_configuration():
    with pytest.raises(config.ConfigurationError, match="arrival: poisson is of sets"):
        configuration(queue={"workload": "queue", "arrival": "poisson"})
    with pytest.raises(config.ConfigurationError, match="admissible tables"):
        configuration(virtual={"workload": "virtual_pim", "tables": "dropped"})


def test_the_stages_run_on_the_example_drop(tmp_path):
    """From the drop's logs to outcomes on disk, in two chunks: the same rows as one replay gives."""
    drop = examples.trace("prim_like")
    ingest.ingest(drop, tmp_path / "ingest" / "prim_like")
    fit_drop.fit(tmp_path / "ingest" / "prim_like", tmp_path / "fit" / "prim_like")
    folders = [tmp_path / "ingest" / "prim_like", tmp_path / "fit" / "prim_like"]
    settings = tmp_path / "settings.json"
    chosen = configuration(dropped={"tables": "dropped", "sets": ["3"], "schedulers": ["pim_care"], "batches": 3})
    settings.write_text(json.dumps(config.section(chosen, "pim_ranks")))
    stages.write_scenarios("pim_ranks", settings, folders, tmp_path / "scenarios", "prim_like")
    for chunk in range(2):
        stage.write_replay("pim_ranks", "pim_care", chunk, 2, tmp_path / "scenarios", tmp_path / str(chunk))
    ran = pl.concat([pl.read_parquet(tmp_path / str(chunk) / "outcomes.parquet") for chunk in range(2)])
    inputs = {path.stem: pl.read_parquet(path) for path in (tmp_path / "scenarios").glob("*.parquet")}
    whole = pim_ranks.replay(inputs, inputs["scenarios"])["outcomes"]
    assert ran.sort("scenario_id", maintain_order=True).equals(whole)
    assert whole.height == 3 * 24
