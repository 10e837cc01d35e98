"""Workloads and scenario tables: the laws of the paper, traces replayed and composed, common random numbers."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy import stats

from pipeline import config, tables
from pipeline.statistics import job_laws as laws
from pipeline.studies import hpc_memory
from pipeline.studies.hpc_memory import workload as recipes


def configuration(timeline=0, seed=1, **sweeps):
    sweeps = {name: {"workload": "phased"} | sweep for name, sweep in sweeps.items()}
    return config.parse({"seed": seed, "hpc_memory": {"sweeps": sweeps, "timeline": timeline}})


def catalog(**frames):
    empty = {name: tables.empty(schema) for name, schema in tables.CANONICAL.items() if name != "samples"}
    return empty | {name: tables.conform(frame, tables.CANONICAL[name]) for name, frame in frames.items()}


def trace(trace_id, nodes=None, kind="measured"):
    return pl.DataFrame(
        [{"trace": trace_id, "drop": trace_id, "format": "x", "status": "read", "kind": kind, "nodes": nodes,
          "node_memory_gb": None, "jobs": 0, "samples": 0, "rejected": 0, "note": None}],
        schema=tables.polars_schema(tables.Trace),
    )  # fmt: skip


LOG = pl.DataFrame(
    {
        "trace": ["log"] * 4,
        "job_id": ["a", "b", "c", "d"],
        "submit_s": [0.0, 5.0, 3.0, 9.0],
        "nodes": [1, 4, 2, 3],
        "walltime_s": [100.0, None, 30.0, 40.0],
        "runtime_s": [50.0, 20.0, None, 40.0],
        "used_memory_gb": [None, 2.0, 3.0, None],
    }
)
SHAPES = pl.DataFrame(
    {
        "trace": ["shapes"] * 3,
        "job_id": ["s", "s", "t"],
        "node": [None, None, None],
        "phase": [0, 1, 0],
        "duration_s": [1.0, 3.0, 7.0],
        "memory_gb": [10.0, 2.0, 5.0],
        "origin": ["fitted"] * 3,
    },
    schema_overrides={"node": pl.String},
)
WORLD = catalog(traces=pl.concat([trace("log", nodes=8), trace("shapes", kind="generated")]), jobs=LOG, phases=SHAPES)
BARE = WORLD | {"jobs": WORLD["jobs"].with_columns(used_memory_gb=pl.lit(None, pl.Float64))}


def test_mean_of_the_clipped_number_of_phases_is_the_pages():
    assert laws.mean_phases() == pytest.approx(11.5, abs=0.05)
    drawn = laws.phases(np.random.default_rng(0), 200_000)
    assert drawn.min() == 1
    assert drawn.max() == laws.MOST_PHASES
    assert drawn.mean() == pytest.approx(laws.mean_phases(), abs=4 * drawn.std() / np.sqrt(len(drawn)))


@pytest.mark.parametrize("law", ["beta", "normal"])
def test_memory_has_the_mean_and_range_of_the_paper(law):
    drawn = laws.memory_gb(np.random.default_rng(0), law, 100_000)
    assert drawn.mean() == pytest.approx(105, abs=0.8)
    assert drawn.min() >= 2
    assert drawn.max() <= 242


def test_beta_memory_is_scipys():
    low, high = laws.MEMORY_RANGE_GB
    mean, sd = (105 - low) / (high - low), 60 / (high - low)
    both = mean * (1 - mean) / sd**2 - 1
    law = stats.beta(mean * both, (1 - mean) * both, loc=low, scale=high - low)
    assert (law.mean(), law.std()) == pytest.approx((105, 60))
    assert stats.kstest(laws.memory_gb(np.random.default_rng(1), "beta", 20_000), law.cdf).pvalue > 1e-3


@pytest.mark.parametrize(
    "spread",
    [laws.Spread(sd_memory_gb=75.0), laws.Spread(memory_range_gb=(10.0, 220.0)), laws.Spread(sigma_phases=2.0)],
)
def test_laws_that_spread_otherwise_keep_their_means(spread):
    for law in ("beta", "normal"):
        drawn = laws.memory_gb(np.random.default_rng(2), law, 100_000, spread)
        low, high = spread.memory_range_gb
        assert low <= drawn.min() and drawn.max() <= high
        assert drawn.mean() == pytest.approx(105, abs=4 * drawn.std() / np.sqrt(len(drawn)))
    drawn = laws.phases(np.random.default_rng(2), 200_000, spread.sigma_phases)
    assert drawn.mean() == pytest.approx(
        laws.mean_phases(spread.sigma_phases), abs=4 * drawn.std() / np.sqrt(len(drawn))
    )
    lengths = np.log(laws.lengths_s(np.random.default_rng(2), 100_000, 1.5))
    assert lengths.std() == pytest.approx(1.5, rel=0.02)
    assert lengths.mean() == pytest.approx(np.log(1000) - 1.5**2 / 2, abs=0.03)


def test_another_spread_is_another_workload_and_no_other_draw():
    sweeps = {"a": {"workload": "phased", "batches": 1, "jobs": 20}}
    sweeps["b"] = sweeps["a"] | {"spread": {"sd_memory_gb": 45, "memory_range_gb": [1, 256]}}
    made = hpc_memory.workloads(config.parse({"hpc_memory": {"timeline": 0, "sweeps": sweeps}}), WORLD)
    said = dict(made["workloads"].select("law_spread", "workload_id").iter_rows())
    assert set(said) == {None, "sd_memory_gb 45, memory_range_gb 1 to 256"}
    default, other = (
        made["phases"].filter(workload_id=said[key]).sort("job_id", "phase")
        for key in (None, "sd_memory_gb 45, memory_range_gb 1 to 256")
    )
    assert default["duration_s"].equals(other["duration_s"])
    assert not default["memory_gb"].equals(other["memory_gb"])


def test_readings_are_varied_together_over_their_whole_ranges():
    """Each range is cut into as many parts as there are points, and each part has one of them."""
    points = laws.varied_together(10, np.random.default_rng(1))
    drawn = [(load, s.sd_memory_gb, *s.memory_range_gb, s.sigma_phases, s.sigma_length) for load, s in points]
    for values, (name, (low, high)) in zip(np.array(drawn).T, laws.VARIED.items(), strict=True):
        part = (values - low) / (high - low) * 10
        rounded = 10 / (high - low) * (0.5 if high > 10 or name.endswith("gb") else 0.005)
        assert np.abs(np.sort(part) - (np.arange(10) + 0.5)).max() <= 0.5 + rounded
    sweeps = {"a": {"workload": "phased", "batches": 1, "jobs": 20, "hypercube": 4}}
    made = hpc_memory.workloads(config.parse({"hpc_memory": {"timeline": 0, "sweeps": sweeps}}), WORLD)["workloads"]
    assert made["load"].n_unique() == made["law_spread"].n_unique() == len(made) == 4


def test_nodes_are_uniform_or_have_mean_seven():
    uniform = laws.nodes(np.random.default_rng(0), "uniform", 50_000)
    assert set(uniform) == set(range(1, 24))
    skewed = laws.nodes(np.random.default_rng(0), "marconi100", 50_000)
    assert skewed.mean() == pytest.approx(7, abs=0.1)
    assert (skewed.min(), skewed.max()) == (1, 48)


def test_releases_offer_the_load():
    sizes = np.random.default_rng(0).integers(1, 24, 1000)
    release = laws.releases_s(sizes, 54, 11_500.0, 0.9, "load")
    assert (release[:100] == 0).all()
    assert (sizes[100:] * 11_500).sum() / (54 * release[-1]) == pytest.approx(0.9)
    printed = laws.releases_s(sizes, 54, 11_500.0, 0.9, "printed")
    assert np.diff(printed)[200] == pytest.approx(9 * 1000 * sizes[201] / 54)


def test_dynamic_profiles_are_the_truncated_law():
    for kind, (low, high) in enumerate(laws.DYNAMIC_TRUNCATIONS_GB):
        levels, share = laws.dynamic_profile(kind)
        assert share.sum() == pytest.approx(1)
        assert (levels[0], levels[-1]) == (low + 1, high)
        law = stats.truncnorm((low - 105) / 30, (high - 105) / 30, loc=105, scale=30)
        assert levels @ share == pytest.approx(law.mean(), abs=1)
        drawn = laws.dynamic_memory_gb(np.random.default_rng(0), np.full(5000, kind))
        assert stats.kstest(drawn, law.cdf).pvalue > 1e-3


def test_batches_differ_and_everything_else_is_shared():
    made = hpc_memory.workloads(
        configuration(a={"batches": 2, "jobs": 50, "load": [0.8, 0.9]}, b={"batches": 1, "jobs": 50, "load": [0.9]}),
        WORLD,
    )
    ids = made["workloads"]["workload_id"].to_list()
    assert len(ids) == len(set(ids)) == 4  # the sweep b names a workload of a
    first, other, same = (w for w in ids if "load0.8/b00" in w or "load0.8/b01" in w or "load0.9/b00" in w)

    def phases(workload):
        return made["phases"].filter(pl.col("workload_id") == workload).drop("workload_id")

    assert not phases(first).equals(phases(other))
    assert_frame_equal(phases(first), phases(same))  # common random numbers across loads


def test_the_master_seed_changes_the_workloads_and_nothing_else_does():
    sweep = {"a": {"batches": 1, "jobs": 20}}
    one, again, two = (hpc_memory.workloads(configuration(seed=s, **sweep), WORLD)["phases"] for s in (1, 1, 2))
    assert one.equals(again)
    assert not one.equals(two)


def test_a_trace_with_one_figure_a_job_is_replayed_in_one_phase():
    made = hpc_memory.workloads(configuration(a={"workload": "replayed", "jobs": None}), WORLD)
    (row,) = made["workloads"].iter_rows(named=True)
    assert (row["workload_id"], row["nodes"], row["jobs"], row["jobs_left_out"], row["origin"]) == (
        "replayed/log/b00", 8, 3, 1, "measured")  # fmt: skip
    assert made["jobs"].select("job_id", "submit_s", "nodes", "walltime_s", "position").rows() == [
        ("a", 0.0, 1, 100.0, None),
        ("b", 5.0, 4, 20.0, None),  # no request: the run time is the estimate
        ("d", 9.0, 3, 40.0, None),
    ]
    # Jobs without memory take that of a job that has some, for their own run times.
    assert made["phases"].rows() == [
        ("replayed/log/b00", j, 0, s, 2.0) for j, s in (("a", 50.0), ("b", 20.0), ("d", 40.0))
    ]
    assert row["memory_assumed"] == pytest.approx((1 * 50 + 3 * 40) / (1 * 50 + 4 * 20 + 3 * 40))


def test_what_a_log_and_its_drop_know_of_the_jobs_goes_with_them():
    profiles = [("log", "b", 7.0, 1.0, "given"), ("log", "a", 9.0, 1.0, "fitted"), ("log", "c", 1.0, 1.0, "given")]
    columns = ["trace", "job_id", "memory_gb", "probability", "origin"]
    log = LOG.with_columns(
        user=pl.lit("ann"), name=pl.Series(["x", "y", "x", "y"]), start_s=pl.Series([1.0, 6.0, 7.0, None]),
        end_s=pl.Series([None, 30.0, None, None], dtype=pl.Float64), requested_memory_gb=pl.lit(4.0),
    )  # fmt: skip
    known = catalog(
        traces=trace("log", nodes=8), jobs=log, profiles=pl.DataFrame(profiles, schema=columns, orient="row")
    )
    sweep = {"workload": "replayed", "jobs": None, "schedulers": ["unlimited", "priority", "stochastic"],
             "memory_over_mean": [1.0], "knowledge": ["own", "given", "bins:50"]}  # fmt: skip
    made = hpc_memory.workloads(configuration(a=sweep), known)
    assert made["jobs"].select("job_id", "user", "name", "log_start_s", "log_end_s", "requested_memory_gb").rows() == [
        ("a", "ann", "x", 1.0, 51.0, 4.0),  # end: start and run time
        ("b", "ann", "y", 6.0, 30.0, 4.0),
        ("d", "ann", "y", None, None, 4.0),
    ]
    # c has no run time, so it is not replayed; what was fitted to a is not given.
    assert made["given"].rows() == [("replayed/log/b00", "b", 7.0, 1.0)]
    table = hpc_memory.scenarios(configuration(a=sweep), known)
    assert table.sort("scheduler", "knowledge").select("scheduler", "knowledge").rows() == [
        ("priority", None),
        ("stochastic", "bins:50"),
        ("stochastic", "given"),
        ("stochastic", "own"),
        ("unlimited", None),
    ]
    ends = hpc_memory.replay(made, table.with_columns(memory_gb=pl.lit(3.0)))["outcomes"]["end_s"]
    assert ends.null_count() == 0
    with pytest.raises(config.ConfigurationError, match=r"unknown knowledge 'owned'; known: own, given"):
        configuration(a=sweep | {"knowledge": ["owned"]})


def test_a_log_with_memory_of_its_own_is_not_composed_unless_it_is_named():
    made = hpc_memory.workloads(configuration(a={"workload": "composed"}), WORLD)
    assert made["workloads"].is_empty()
    named = hpc_memory.workloads(configuration(a={"workload": "composed", "traces": ["log"], "batches": 1}), WORLD)
    assert named["workloads"]["family"].to_list() == ["composed/log+assumed/by1000"]


def test_a_log_without_memory_gets_documented_laws_and_never_another_traces_memory_unasked():
    made = hpc_memory.workloads(configuration(a={"workload": "composed", "jobs": None}), BARE)
    (row,) = made["workloads"].iter_rows(named=True)
    assert (row["workload_id"], row["shapes"], row["origin"], row["memory_origin"], row["memory_assumed"]) == (
        "composed/log+assumed/b00", None, "assumed", "assumed", 1.0)  # fmt: skip
    assert row["node_memory_gb"] is None  # nothing that savings could be counted from
    phases = made["phases"].join(made["jobs"].select("job_id", "nodes"), on="job_id")
    lengths = phases.group_by("job_id", maintain_order=True).agg(pl.col("duration_s").sum())
    assert lengths.rows() == [("a", pytest.approx(50)), ("b", pytest.approx(20)), ("d", pytest.approx(40))]
    weight = phases["duration_s"] * phases["nodes"]
    assert (weight * phases["memory_gb"]).sum() / weight.sum() == pytest.approx(105)


def test_composed_jobs_keep_their_times_and_have_the_mean_asked_for():
    sweep = {"workload": "composed", "jobs": 4, "batches": 3, "shapes": ["shapes"]}
    made = hpc_memory.workloads(configuration(a=sweep), BARE)
    assert made["workloads"]["workload_id"].to_list() == [f"composed/log+shapes/by4/b0{b}" for b in range(3)]
    assert made["workloads"]["origin"].unique().to_list() == ["composed"]
    for workload in made["workloads"]["workload_id"]:
        phases = made["phases"].filter(pl.col("workload_id") == workload)
        lengths = phases.group_by("job_id", maintain_order=True).agg(pl.col("duration_s").sum())
        assert lengths.rows() == [("a", pytest.approx(50)), ("b", pytest.approx(20)), ("d", pytest.approx(40))]
        weight = phases["duration_s"] * phases.join(LOG, on="job_id", maintain_order="left")["nodes"]
        assert (weight * phases["memory_gb"]).sum() / weight.sum() == pytest.approx(105)  # by node time
        for _, job in phases.group_by("job_id"):
            assert len(job) == 1 or job["memory_gb"][0] == pytest.approx(5 * job["memory_gb"][1])


def test_a_log_that_counts_cores_is_given_a_core_s_share_of_the_mean():
    traces = WORLD["traces"].with_columns(unit=pl.lit("core"))
    sweep = {"workload": "composed", "memory_over_mean": [0.5], "schedulers": ["priority"], "traces": ["log"]}
    settings = configuration(a=sweep | {"jobs": None})
    made = hpc_memory.workloads(settings, BARE | {"traces": traces})
    assert made["workloads"]["mean_memory_gb"].to_list() == [pytest.approx(105 / 32)]
    rows = hpc_memory.scenarios(settings, BARE | {"traces": traces})
    assert rows["memory_per_node_gb"].to_list() == [pytest.approx(0.5 * 105 / 32)]


@pytest.mark.parametrize("unit", ["node", "core"])
def test_assumed_memory_has_the_mean_that_the_drop_states(unit):
    traces = WORLD["traces"].with_columns(unit=pl.lit(unit), mean_memory_stated_gb=pl.lit(14.0))
    sweep = {"workload": "composed", "memory_over_mean": [0.5], "schedulers": ["priority"], "traces": ["log"]}
    settings = configuration(a=sweep | {"jobs": None})
    made = hpc_memory.workloads(settings, BARE | {"traces": traces})
    assert made["workloads"]["mean_memory_gb"].to_list() == [pytest.approx(14)]
    rows = hpc_memory.scenarios(settings, BARE | {"traces": traces})
    assert rows["memory_per_node_gb"].to_list() == [7.0]


def test_batches_of_a_trace_are_windows_by_submission():
    sweep = {"workload": "composed", "jobs": 2, "batches": 3, "shapes": ["shapes"]}
    made = hpc_memory.workloads(configuration(a=sweep), BARE)
    jobs = made["jobs"].group_by("workload_id", maintain_order=True).agg("job_id").rows()
    by = "composed/log+shapes/by2"
    # By submission a, c, b, d; c has no run time. The third batch takes the first window again, with other shapes.
    assert jobs == [(f"{by}/b00", ["a"]), (f"{by}/b01", ["b", "d"]), (f"{by}/b02", ["a"])]
    assert made["workloads"]["jobs_left_out"].to_list() == [3, 2, 3]
    replayed = hpc_memory.workloads(configuration(a={"workload": "replayed", "jobs": 3, "batches": 9}), WORLD)
    assert replayed["workloads"]["workload_id"].to_list() == ["replayed/log/by3/b00"]  # one whole window in four jobs


def test_every_window_of_a_trace_gets_the_same_machine():
    many = WORLD | {"jobs": WORLD["jobs"].with_columns(used_memory_gb=pl.Series([1.0, 2.0, 3.0, 4.0]), runtime_s=9.0)}
    settings = configuration(
        a={"workload": "replayed", "jobs": 2, "batches": 2, "schedulers": ["priority"], "memory_over_mean": [1.0]}
    )
    means = hpc_memory.workloads(settings, many)["workloads"]["mean_memory_gb"]
    assert means[0] != means[1]
    table = hpc_memory.scenarios(settings, many)
    assert table["memory_per_node_gb"].to_list() == pytest.approx([means.mean()] * 2, abs=1e-6)


def test_scenarios_are_the_product_of_the_lists():
    settings = configuration(
        a={"batches": 2, "jobs": 5, "memory_per_node_gb": [105, 150], "alpha": [0.03, 0.1], "tau_s": [1, 10],
           "schedulers": ["priority", "unlimited"]}
    )  # fmt: skip
    table = hpc_memory.scenarios(settings, WORLD)
    counts = dict(table.group_by("scheduler").len().iter_rows())
    assert counts == {"priority": 2 * 2 * 2 * 2, "unlimited": 2 * 2}
    assert table["scenario_id"].is_unique().all()
    assert table["scenario_id"].is_sorted()
    assert (table["memory_gb"].drop_nulls() == table["memory_per_node_gb"].drop_nulls() * 54).all()
    assert_frame_equal(table, hpc_memory.scenarios(settings, WORLD | hpc_memory.workloads(settings, WORLD)))


def test_a_new_scheduler_file_is_in_the_sweeps():
    table = hpc_memory.scenarios(configuration(a={"batches": 1, "jobs": 5}), WORLD)
    assert set(table["scheduler"]) == set(hpc_memory.SCHEDULERS)


def test_unknown_names_are_said_with_what_is_known():
    with pytest.raises(ValueError, match=r"'priorty'.*did you mean 'priority'"):
        hpc_memory.scenarios(configuration(a={"batches": 1, "jobs": 5, "schedulers": ["priorty"]}), WORLD)
    with pytest.raises(ValueError, match=r"'logg' is not among the traces; did you mean 'log'"):
        hpc_memory.workloads(configuration(a={"workload": "replayed", "traces": ["logg"]}), WORLD)
    with pytest.raises(ValueError, match="'shapes' has no jobs"):
        hpc_memory.workloads(configuration(a={"workload": "composed", "traces": ["shapes"]}), WORLD)


def test_an_empty_world_gives_empty_tables():
    made = hpc_memory.workloads(configuration(a={"workload": "replayed"}, b={"workload": "composed"}), catalog())
    assert all(frame.is_empty() for frame in made.values())
    table = hpc_memory.scenarios(configuration(a={"workload": "replayed"}), catalog())
    assert table.is_empty()
    replayed = hpc_memory.replay(made, table)
    assert all(frame.is_empty() for frame in replayed.values())


@pytest.mark.slow
def test_the_paper_evaluation_agrees_with_an_independent_model():
    """Figures an independent implementation of the model page gave (its table of claims), within sampling error."""
    settings = configuration(
        phased={"batches": 12, "memory_per_node_gb": [105, 150], "schedulers": ["unlimited", "priority"]},
        dynamic={"workload": "dynamic", "batches": 6, "memory_per_node_gb": [105, 150],
                 "schedulers": ["unlimited", "stochastic"]},
    )  # fmt: skip
    made = hpc_memory.workloads(settings, WORLD)
    table = hpc_memory.scenarios(settings, WORLD | made)
    metrics = hpc_memory.replay(made, table)["metrics"].filter(pl.col("metric") == "utilisation")
    runs = table.join(metrics, on="scenario_id").with_columns(kind=pl.col("workload_id").str.split("/").list.first())
    base = runs.filter(pl.col("scheduler") == "unlimited").select("workload_id", base="value")
    means = {
        (kind, memory): (value, loss)
        for kind, memory, value, loss in runs.filter(pl.col("scheduler") != "unlimited")
        .join(base, on="workload_id")
        .group_by("kind", "memory_per_node_gb")
        .agg(pl.col("value").mean(), (1 - pl.col("value") / pl.col("base")).mean())
        .iter_rows()
    }
    assert means["phased", 105.0][0] == pytest.approx(0.875, abs=0.015)  # M3: 87 to 88 %
    assert 0.001 <= means["phased", 150.0][1] <= 0.006  # M1: 0.1 to 0.4 %
    assert means["dynamic", 105.0][0] == pytest.approx(0.796, abs=0.01)  # M11: 79.6 %
    assert 0.009 <= means["dynamic", 150.0][1] <= 0.024  # M10: 0.9 to 2.2 %


def test_fewer_batches_than_windows_are_spread_over_the_trace():
    count = 1000
    jobs = pl.DataFrame(
        {"trace": "log", "job_id": [f"{j:04d}" for j in range(count)], "submit_s": [float(j) for j in range(count)],
         "nodes": 1, "runtime_s": 60.0, "used_memory_gb": 5.0}
    )  # fmt: skip
    world = WORLD | {"jobs": tables.conform(jobs, tables.Job)}
    made = hpc_memory.workloads(configuration(a={"workload": "replayed", "jobs": 10, "batches": 4}), world)
    starts = made["jobs"].group_by("workload_id").agg(pl.col("submit_s").min()).sort("workload_id")
    # A hundred windows, of which the middle of each quarter.
    assert starts.rows() == [(f"replayed/log/by10/b{w}", 10.0 * w) for w in (12, 37, 62, 87)]
    assert made["workloads"]["jobs_left_out"].to_list() == [990] * 4


def log_of(count, gap_s=600.0):
    jobs = pl.DataFrame({"trace": "log", "job_id": [f"{j}" for j in range(count)],
                         "submit_s": [gap_s * j for j in range(count)], "nodes": 1, "runtime_s": 60.0,
                         "used_memory_gb": 5.0})  # fmt: skip
    return WORLD | {"jobs": tables.conform(jobs, tables.Job)}


def test_a_whole_log_is_replayed_in_the_fewest_parts_of_at_most_100_000_jobs(monkeypatch):
    monkeypatch.setattr(recipes, "MOST_JOBS", 100)
    for count, sizes in ((100, [100]), (101, [50, 51]), (250, [83, 83, 84])):
        made = hpc_memory.workloads(configuration(a={"workload": "replayed", "jobs": None}), log_of(count))
        assert made["workloads"]["jobs"].to_list() == sizes
        assert made["workloads"]["jobs_left_out"].to_list() == [0] * len(sizes)
        assert made["jobs"]["job_id"].n_unique() == count


@pytest.mark.parametrize(
    ("count", "gap_s", "spans"),
    [
        (199, 600.0, 1),  # too few jobs for an interval
        (200, 600.0, 20),  # 33 hours: twentieths
        (4010, 600.0, 25),  # 27.8 days, of which the last nine tenths: days
        (3000, 7200.0, 32),  # 250 days, of which 225: weeks
        (210, 172_800.0, 20),  # 420 days, but fewer than ten jobs per week: twentieths
    ],
)
def test_spans_are_weeks_or_days_or_twentieths(count, gap_s, spans):
    made = hpc_memory.workloads(configuration(a={"workload": "replayed", "jobs": None}), log_of(count, gap_s))
    assert made["workloads"]["spans"].to_list() == [spans]
    table = hpc_memory.scenarios(configuration(a={"workload": "replayed", "jobs": None}), log_of(count, gap_s))
    assert table["spans"].unique().to_list() == [spans]


def test_offered_load_is_the_work_over_what_the_machine_can_do():
    made = hpc_memory.workloads(configuration(a={"workload": "replayed", "jobs": None}), log_of(300))
    assert made["workloads"]["offered_load"][0] == pytest.approx(300 * 60 / (8 * 600 * 299))


def test_the_queue_of_a_site_belongs_to_reserve_alone():
    queue = {"reserve_depth": -1, "backfill_interval_s": 30, "queue_order": "wfp3"}
    sweep = {"batches": 1, "jobs": 5, "schedulers": ["unlimited"], "backfilling": ["easy", "reserve"], "queue": queue}
    table = hpc_memory.scenarios(configuration(a=sweep, b=sweep | {"queue": {}}), WORLD)
    shown = table.sort("scenario_id").select("backfilling", "dialect", *queue)
    assert shown.rows() == [
        ("easy", "", 1, 0.0, "submit"),
        ("reserve", "", 1, 0.0, "submit"),
        ("reserve", "reserve_depth -1, backfill_interval_s 30.0, queue_order wfp3", -1, 30.0, "wfp3"),
    ]
    with pytest.raises(config.ConfigurationError, match=r"no order of the queue 'wfp'.*did you mean"):
        configuration(a=sweep | {"queue": {"queue_order": "wfp"}})
