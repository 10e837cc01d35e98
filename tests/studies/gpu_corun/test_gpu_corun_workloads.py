"""Workloads, models and scenario tables of gpu_corun: published pairs, the ensemble, drawn queues, kernels of drops."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from pipeline import config, tables
from pipeline.fit import gpu
from pipeline.gpus.intensity import Thresholds, intensity
from pipeline.studies import gpu_corun
from pipeline.studies.gpu_corun import dropped, ensemble, published
from pipeline.tables.results import Run, parameter_columns

LABELS = {"BS": ("M", "M"), "GS": ("L", "M"), "MM": ("H", "M"), "RG": ("L", "L"), "TR": ("L", "H")}
SMALL = {"machines": 4, "draws": 3}
NO_APPS = tables.empty(tables.CANONICAL["gpu_apps"])
NO_GPUS = tables.empty(tables.CANONICAL["gpus"])
NO_FITS = tables.empty(tables.CANONICAL["sm_fits"])


def configuration(seed=1, **sweeps):
    sweeps = {name: None if s is None else {"workload": "pairs"} | s for name, s in sweeps.items()}
    return config.parse({"seed": seed, "gpu_corun": {"sweeps": sweeps}})


def made(catalog=None, seed=1, **sweeps):
    """Inputs of the replay and scenarios."""
    settings = configuration(seed, **sweeps)
    return gpu_corun.workloads(settings, catalog or {}), gpu_corun.scenarios(settings, catalog or {})


KERNEL = {
    "trace": pl.String, "app": pl.String, "kernel": pl.String, "launches": pl.Int64, "time_s": pl.Float64,
    "gflops": pl.Float64, "memory_gbps": pl.Float64, "origin": pl.String,
}  # fmt: skip


def catalog():
    """A drop with kernels of three applications, one without rates, and a queue of two; another drop without queue."""
    kernels = [
        ("mine", "solver", "spmv", 10, 8.0, 100.0, 400.0, "measured"),
        ("mine", "solver", "axpy", 10, 2.0, 50.0, 500.0, "measured"),
        ("mine", None, "copy", 1, 3.0, 0.0, 600.0, "measured"),
        ("mine", "odd", "unknown", 1, 1.0, None, 10.0, "measured"),
        ("other", "x", "x", None, None, 5.0, 5.0, "given"),
        ("other", "x", "y", None, None, 15.0, 7.0, "given"),
    ]
    queue = [("mine", "b", "copy", 5.0), ("mine", "a", "solver", 2.0), ("pim", "a", "VA", 0.0)]
    trace = {"status": "read", "kind": "measured", "jobs": 0, "samples": 0, "rejected": 0}
    frames = {
        "traces": pl.DataFrame([trace | {"trace": name, "drop": name} for name in ("mine", "other", "pim")]),
        "kernels": pl.DataFrame(kernels, schema=KERNEL, orient="row"),
        "queues": pl.DataFrame(queue, schema=tables.polars_schema(tables.QueuedApp), orient="row"),
    }
    return {name: tables.conform(frame, tables.CANONICAL[name]) for name, frame in frames.items()}


def test_the_published_pairs_are_fifteen_with_table_2():
    inputs, scenarios = made(pairs={})
    facts = inputs["workloads"]
    assert facts["kind"].value_counts().sort("kind").rows() == [("alone", 5), ("pair", 15)]
    assert set(facts["origin"]) == {"published"}
    assert inputs["kernels"].select("kernel", "gflops", "memory_gbps").rows() == [
        ("BS", 161.3, 401.49), ("GS", 19.6, 340.9), ("MM", 1525.0, 403.5), ("RG", 4.2, 71.6), ("TR", 0.0, 568.6)
    ]  # fmt: skip
    assert set(scenarios["scheduler"]) == set(gpu_corun.SCHEDULERS)
    assert len(scenarios) == 20 * 4


def measured_pairs(*rows):
    names = ["trace", "gpu", "app_a", "app_b", "slowdown_a", "slowdown_b", "fits"]
    frame = pl.DataFrame([dict(zip(names, row, strict=True)) for row in rows], infer_schema_length=None)
    return tables.conform(frame, tables.CorunPair)


def test_measured_pairs_of_profiled_applications_are_replayed_once():
    known = catalog() | {"corun_pairs": measured_pairs(
        ("mine", None, "solver", "copy", 1.2, 1.1, None), ("mine", None, "copy", "solver", 1.3, 1.2, None),
        ("mine", None, "copy", "copy", 1.5, 1.5, None), ("mine", None, "solver", "solver", None, None, False),
        ("mine", None, "solver", "odd", 1.5, 1.5, None), ("mine", None, "a", "b", 1.5, 1.5, None),
    )}  # fmt: skip
    inputs, scenarios = made(known, measured={"workload": "measured"})
    facts = inputs["workloads"]
    assert facts.select("workload_id", "kind", "pair", "applications", "trace").rows() == [
        ("measured/mine/copy-copy", "measured", "copy-copy", 2, "mine"),
        ("measured/mine/copy-solver", "measured", "copy-solver", 2, "mine"),
    ]
    assert inputs["queue"]["kernel"].to_list() == ["copy", "copy", "copy", "solver"]
    assert len(scenarios) == 2 * len(gpu_corun.SCHEDULERS)
    fewer, _ = made(known, measured={"workload": "measured", "largest": 1})
    assert fewer["workloads"].is_empty()  # The solver runs longest, and no pair of it with itself ran.


def test_pairs_measured_on_several_cards_have_no_profile_of_each():
    rows = [("mine", gpu, "solver", "copy", 1.2, 1.1, None) for gpu in ("k80", "p100")]
    inputs, scenarios = made(catalog() | {"corun_pairs": measured_pairs(*rows)}, measured={"workload": "measured"})
    assert inputs["workloads"].is_empty()
    assert scenarios.is_empty()
    with pytest.raises(ValueError, match=r"\(measured\): trace 'mine' has no pair measured on one card"):
        made(catalog(), measured={"workload": "measured", "traces": ["mine"]})


def test_task_sizes_of_the_text_of_figure_5():
    kernels = published.kernels()
    queue = pl.DataFrame({"workload_id": ["BS", "GS"], "position": [0, 0], "kernel": ["BS", "GS"]})
    rows = pl.DataFrame(
        [
            {"scenario_id": f"{k} {s}", "scheduler": "slate", "workload_id": k, "task_size": s}
            for k in ("BS", "GS")
            for s in (1, 10)
        ]
    )
    metrics = gpu_corun.replay({"queue": queue, "kernels": kernels}, rows)["metrics"].filter(metric="kernel_makespan_s")
    time_s = dict(metrics.select("scenario_id", "value").iter_rows())
    assert 30 / time_s["BS 1"] == pytest.approx(1.02)
    assert 30 / time_s["BS 10"] == pytest.approx(0.95)
    assert time_s["GS 1"] / time_s["GS 10"] == pytest.approx(2)
    assert 24.7 / time_s["GS 10"] == pytest.approx(1.28)


@pytest.fixture(scope="module")
def drawn():
    return ensemble.draw(7, 12, 10)


def test_every_draw_is_in_its_ranges_and_agrees_with_the_published_facts(drawn):
    assert len({model_id for model_id, _, _ in drawn}) == len(drawn) == 120
    for _, machine, kernels in drawn:
        for name, (low, high) in published.MACHINE_RANGES.items():
            assert low <= machine[name] <= high
        thresholds = Thresholds(**{name: machine[name] for name in Thresholds._fields})
        for row in kernels.iter_rows(named=True):
            assert intensity(row["gflops"], row["memory_gbps"], thresholds) == LABELS[row["kernel"]]
            most = min(row["memory_gbps"], machine["bandwidth_gbps"])
            assert 0.5 * most <= row["dram_gbps"] <= most
            ranges = published.EVERY_KERNEL | published.KERNEL_RANGES[row["kernel"]]
            assert all(low <= row[name] <= high for name, (low, high) in ranges.items())


def test_every_draw_has_the_published_gain_of_mps_over_cuda(drawn):
    """Makespans in closed form: 2 (1 + loss) x the shorter + the rest in turns, the sum one after the other."""
    for _, machine, kernels in drawn:
        of = {row["kernel"]: row for row in kernels.iter_rows(named=True)}
        gains = []
        for i, a in enumerate(LABELS):
            for b in list(LABELS)[i:]:
                first, second = sorted((of[a], of[b]), key=lambda k: k["setup_s"])
                head_s = second["setup_s"] - first["setup_s"]
                left_s = [first["loop_s"] - head_s, second["loop_s"]]
                turns_s = 2 * (1 + machine["switching_loss"]) * min(left_s) + abs(left_s[0] - left_s[1])
                after_s = left_s[0] / (1 + machine["overlap"])
                ends = [
                    second["setup_s"] + after_s + machine["mps_overhead"] * (first["setup_s"] + first["loop_s"]),
                    second["setup_s"]
                    + after_s
                    + left_s[1]
                    + machine["mps_overhead"] * (second["setup_s"] + second["loop_s"]),
                ]
                gains.append((second["setup_s"] + turns_s) / max(ends) - 1)
        assert 0.055 <= np.mean(gains) <= 0.065


def test_fewer_machines_or_draws_are_the_first_of_more(drawn):
    of = {model_id: (machine, kernels) for model_id, machine, kernels in drawn}
    for model_id, machine, kernels in ensemble.draw(7, 3, 2):
        assert of[model_id][0] == machine
        assert of[model_id][1].equals(kernels)


def test_draws_that_nothing_agrees_with_are_given_up(monkeypatch):
    monkeypatch.setattr(published, "MPS_OVER_CUDA", (0.5, 0.6))
    monkeypatch.setattr(ensemble, "MOST_TRIES", 5)
    with pytest.raises(ValueError, match="0 of 3 draws agree with the published facts"):
        ensemble.draw(1, 3, 2)


def test_another_seed_gives_other_models_and_queues():
    one, again, other = (made(seed=s, e=SMALL, q={"workload": "drawn"}) for s in (1, 1, 2))
    assert all(one[0][name].equals(again[0][name]) for name in one[0])
    assert one[1].equals(again[1])
    assert not one[0]["kernels"].equals(other[0]["kernels"])
    assert not one[0]["queue"].equals(other[0]["queue"])


def test_scenarios_are_the_product_of_what_makes_a_difference():
    _, scenarios = made(
        pairs={"split": ["equal", "best"], "task_size": [1, 10], "symmetry": ["printed", "both"], "sms": [30, 15]},
        ensemble=SMALL | {"schedulers": ["cuda", "slate"], "split": ["equal", "saturate"]},
    )
    default = scenarios.filter(model_id="default")
    count = dict(default["scheduler"].value_counts().iter_rows())
    assert count == {"cuda": 40, "mps": 40, "slate": 320, "optimal": 80}
    members = scenarios.filter(pl.col("model_id") != "default")
    assert dict(members["scheduler"].value_counts().iter_rows()) == {"cuda": 12 * 20, "slate": 12 * 40}
    assert members["bandwidth_gbps"].n_unique() == 4
    assert scenarios["scenario_id"].is_unique().all()
    assert scenarios["scenario_id"].is_sorted()
    assert scenarios.columns == [c for c in {**Run.columns(), **parameter_columns(gpu_corun.STUDY)} if c != "study"]
    assert scenarios.filter("timeline")["workload_id"].str.starts_with("pair/").all()


def test_a_scenario_of_two_sweeps_runs_once():
    _, one = made(a={})
    _, two = made(a={}, b={"split": ["equal", "best"]})
    assert len(two) == len(one) + 20


def test_drawn_queues_are_uniform_and_the_search_is_not_asked():
    inputs, scenarios = made(q={"workload": "drawn", "applications": [50], "batches": 40})
    counts = inputs["queue"]["kernel"].value_counts()["count"]
    assert stats.chisquare(counts).pvalue > 1e-3
    assert set(inputs["queue"]["arrival_s"]) == {0.0}
    assert set(scenarios["scheduler"]) == {"cuda", "mps", "slate"}
    assert set(scenarios["seed"]) == set(range(40))


def test_poisson_arrivals_offer_the_load():
    inputs, _ = made(q={"workload": "drawn", "applications": [400], "batches": 20, "arrival": "poisson", "load": [0.7]})
    gaps = inputs["queue"].with_columns(gap=pl.col("arrival_s").diff().over("workload_id"))["gap"].drop_nulls()
    mean_loop_s = (4 * 30 + 24.7) / 5
    assert gaps.mean() == pytest.approx(mean_loop_s / 0.7, rel=0.03)
    assert stats.kstest(gaps, "expon", args=(0, gaps.mean())).pvalue > 1e-3


def test_applications_of_a_drop_are_means_over_their_kernels_weighted_by_time():
    columns = ("kernel", "gflops", "memory_gbps", "loop_s")
    app_rows = dropped.applications(catalog()["kernels"].filter(trace="mine"), NO_APPS, NO_FITS, repetitions=1)
    assert app_rows.select(columns).rows() == [("solver", 90.0, 420.0, 10.0), ("copy", 0.0, 600.0, 3.0)]
    untimed = dropped.applications(catalog()["kernels"].filter(trace="other"), NO_APPS, NO_FITS)
    assert untimed.select(columns).rows() == [("x", 10.0, 6.0, None)]
    assert set(untimed["setup_s"]) | set(untimed["saturation"]) == {None}


def test_an_application_of_a_drop_sets_up_as_long_as_measured_and_saturates_where_its_widest_kernel_does():
    kernels = (
        catalog()["kernels"]
        .filter(trace="mine")
        .with_columns(gpu_sms=pl.lit(28, pl.Int64), saturation_sms=pl.Series([7.0, 14.0, 56.0, 1.0]))
    )
    apps = NO_APPS.clear(1).with_columns(app=pl.lit("solver"), start_s=pl.lit(0.6))
    app_rows = dropped.applications(kernels, apps, NO_FITS)
    assert app_rows.select("kernel", "setup_s", "saturation").rows() == [("solver", 0.6, 0.5), ("copy", None, 1.0)]
    partly = kernels.with_columns(saturation_sms=pl.Series([7.0, None, None, 1.0]))
    assert dropped.applications(partly, apps, NO_FITS)["saturation"].to_list() == [None, None]


def card(times=(4.0, 2.0, 1.0, 1.0)):
    """The other drop's kernels with curves on 1, 2, 4 and 8 SMs: x follows `times`, y halves each time."""
    curves = [
        {"trace": "other", "app": app, "sms": sms, "time_s": time_s, "ipc": None, "beside": None, "origin": "given"}
        for app, of_app in (("x", times), ("y", (8.0, 4.0, 2.0, 1.0)))
        for sms, time_s in zip((1, 2, 4, 8), of_app, strict=True)
    ]
    points = pl.DataFrame(curves, schema=tables.polars_schema(tables.SmCurve))
    return catalog() | {"sm_curves": points, "sm_fits": gpu.curve_fits(points)}


def test_an_application_with_a_curve_saturates_where_it_does():
    world = card()
    kernels = world["kernels"].filter(trace="other")
    assert dropped.applications(kernels, NO_APPS, world["sm_fits"])["saturation"].to_list() == [0.5]
    stated = kernels.with_columns(saturation_sms=pl.lit(6.0), gpu_sms=pl.lit(8, pl.Int64))
    assert dropped.applications(stated, NO_APPS, world["sm_fits"])["saturation"].to_list() == [0.75]
    alone = kernels.with_columns(app=pl.lit(None, pl.String))
    app_rows = dropped.applications(alone, NO_APPS, world["sm_fits"])
    assert dict(app_rows.select("kernel", "saturation").iter_rows()) == {"x": 0.5, "y": 1.0}


def test_a_card_with_curves_has_its_own_bandwidth_and_the_thresholds_of_table_2_at_its_size():
    _, scenarios = made(card(), dropped={"kernels": "dropped"})
    machine = scenarios.filter(pl.col("model_id") == "other").row(0, named=True)
    assert machine["bandwidth_gbps"] == 7.0
    assert machine["high_memory_gbps"] == pytest.approx(7 * 492 / 568.6)
    assert machine["medium_gflops"] == pytest.approx(15 * 56 / 1525)
    # Table II's own kernels have Table II's labels on a card that is twice as fast.
    rates = published.kernels().select("kernel", pl.col("gflops", "memory_gbps") * 2)
    curves = card()["sm_fits"]
    twice = Thresholds(**{k: v for k, v in dropped.machine(rates, curves, NO_GPUS).items() if k in Thresholds._fields})
    assert {name: intensity(*own, twice) for name, *own in rates.iter_rows()} == LABELS
    without = scenarios.filter(pl.col("model_id") == "mine")
    assert set(without["bandwidth_gbps"]) == {450.0}


def test_the_length_of_a_run_is_measured_stated_or_assumed():
    columns = ("kernel", "loop_s", "loop_origin")
    kernels = catalog()["kernels"].filter(trace="mine")
    assert dropped.applications(kernels, NO_APPS, NO_FITS).select(columns).rows() == [
        ("solver", None, "assumed"),
        ("copy", None, "assumed"),
    ]
    apps = NO_APPS.clear(1).with_columns(app=pl.lit("solver"), start_s=pl.lit(0.6))
    assert dropped.applications(kernels, apps, NO_FITS).select(columns).rows() == [
        ("solver", 10.0, "measured"),
        ("copy", None, "assumed"),
    ]
    assert dropped.applications(kernels, apps, NO_FITS, 2.5).select(columns).rows() == [
        ("solver", 25.0, "stated"),
        ("copy", 7.5, "stated"),
    ]


def test_times_of_single_launches_do_not_change_the_answer():
    """Kernels profiled for microseconds and the same without times: the same makespans, so the same scheduler."""
    short = catalog()["kernels"].with_columns(pl.col("time_s") * 1e-6).filter(trace="mine", kernel="copy")
    ends = []
    for kernels in (short, short.with_columns(time_s=pl.lit(None, pl.Float64))):
        inputs, scenarios = made(catalog() | {"kernels": kernels}, pairs={"kernels": "dropped"})
        ends.append(gpu_corun.replay(inputs, scenarios)["metrics"])
    assert ends[0].height
    assert ends[0].equals(ends[1])


A100 = {"gpu": "A100-SXM4-40GB", "sms": 108, "peak_gflops": 19500.0, "bandwidth_gbps": 1555.0, "repetitions": None} | {
    f"{name}_origin": "looked_up" for name in ("sms", "peak_gflops", "bandwidth_gbps")
}
RATES = [("gemm", 14500.0, 420.0), ("conv", 9800.0, 610.0), ("bn", 450.0, 1410.0), ("embed", 12.0, 340.0)]
"""Rates as on an A100: of a matrix product, a convolution, a normalisation and a table of embeddings."""


def on_a_card(traced=None, **sweep):
    kernels = [("mine", None, name, 1, 5.0, gflops, gbps, "given") for name, gflops, gbps in RATES]
    frame = tables.conform(pl.DataFrame(kernels, schema=KERNEL, orient="row"), tables.Kernel)
    cards = [] if traced is None else [{"trace": "mine"} | traced]
    schema = tables.polars_schema(tables.CANONICAL["gpus"])
    world = catalog() | {"kernels": frame, "gpus": pl.DataFrame(cards, schema=schema)}
    return made(world, pairs={"kernels": "dropped"} | sweep)[1].row(0, named=True)


def classes(scenario):
    thresholds = Thresholds(**{name: scenario[name] for name in Thresholds._fields})
    return {name: "/".join(intensity(*rates, thresholds)) for name, *rates in RATES}


def test_classes_are_of_the_card_and_of_the_papers_where_none_is_known():
    a100, unknown = on_a_card(A100), on_a_card()
    # By hand: 19500 / 12150 and 1555 / 547.6 times the thresholds on a Titan Xp.
    assert a100["high_gflops"] == pytest.approx(796.0, abs=0.1)
    assert a100["high_memory_gbps"] == pytest.approx(1397.1, abs=0.1)
    assert a100["bandwidth_gbps"] == pytest.approx(450 / 547.6 * 1555)
    assert classes(a100) == {"gemm": "H/L", "conv": "H/M", "bn": "M/H", "embed": "L/L"}
    assert (a100["gpu"], a100["gpu_origin"], a100["sms"]) == ("A100-SXM4-40GB", "looked_up", 108)
    assert classes(unknown) == {"gemm": "H/M", "conv": "H/H", "bn": "M/H", "embed": "L/M"}
    assert (unknown["gpu"], unknown["gpu_origin"], unknown["sms"]) == ("TITAN Xp", "assumed", 30)


def test_the_configuration_goes_before_the_trace_and_makes_scenarios_of_its_own():
    stated = on_a_card(A100, gpu="GeForce GTX 1080 Ti", bandwidth_gbps=500.0)
    assert stated["scenario_id"].endswith("-gpu:GeForce GTX 1080 Ti-bandwidth_gbps:500.0")
    assert (stated["gpu"], stated["gpu_origin"], stated["sms"]) == ("GeForce GTX 1080 Ti", "looked_up", 28)
    assert stated["high_memory_gbps"] == pytest.approx(492 * 500 / 547.6)
    with pytest.raises(ValueError, match="unknown GPU 'TITAN X'; did you mean 'TITAN Xp'"):
        configuration(pairs={"kernels": "dropped", "gpu": "TITAN X"})
    with pytest.raises(ValueError, match="the published kernels ran on the paper's card"):
        configuration(pairs={"gpu": "TITAN Xp"})


def test_pairs_are_of_the_longest_eight_or_of_sixteen_without_times():
    kernels = [("mine", None, f"k{i:02d}", 1, float(i) + 1, 1.0, 1.0, "given") for i in range(20)]
    frame = pl.DataFrame(kernels, schema=KERNEL, orient="row")
    for frame_, expected in ((frame, range(12, 20)), (frame.with_columns(time_s=pl.lit(None, pl.Float64)), range(16))):
        world = catalog() | {"kernels": tables.conform(frame_, tables.Kernel)}
        assert set(made(world, dropped={"kernels": "dropped"})[0]["queue"]["kernel"]) == {f"k{i:02d}" for i in expected}


@pytest.mark.parametrize(("sweep", "sms"), [({}, {28, 30}), ({"sms": [12]}, {12})], ids=["own", "stated"])
def test_kernels_of_a_drop_run_on_a_gpu_of_their_size_where_that_is_known(sweep, sms):
    world = catalog()
    size = pl.when(pl.col("trace") == "mine").then(28)
    world["kernels"] = world["kernels"].with_columns(gpu_sms=size.cast(pl.Int64))
    _, scenarios = made(world, dropped={"kernels": "dropped"} | sweep)
    assert set(scenarios["sms"]) == sms
    if not sweep:
        assert set(scenarios.filter(pl.col("workload_id").str.contains("/mine/"))["sms"]) == {28}


def test_pairs_and_queues_of_a_drop():
    inputs, scenarios = made(
        catalog(), pairs={"kernels": "dropped", "largest": 1}, queue={"workload": "queue", "schedulers": ["mps"]}
    )
    assert sorted(inputs["workloads"]["workload_id"]) == [
        "alone/mine/solver", "alone/other/x", "pair/mine/solver-solver", "pair/other/x-x", "queue/mine"
    ]  # fmt: skip
    assert set(inputs["workloads"]["origin"]) == {"measured"}
    queue = inputs["queue"].filter(workload_id="queue/mine")
    assert queue.rows() == [("queue/mine", 0, "solver", 2.0), ("queue/mine", 1, "copy", 5.0)]
    outcomes = gpu_corun.replay(inputs, scenarios)["outcomes"].filter(
        pl.col("scenario_id").str.starts_with("gpu_corun/queue")
    )
    # Nothing tells how long a run is: loops last 30 s, as the paper's.
    assert outcomes.select("start_s", "kernel_end_s").rows() == [(5.0, 35.0), (35.0, 65.0)]


def test_parts_hang_on_their_drop():
    settings = configuration(pairs={}, dropped={"kernels": "dropped"}, queue={"workload": "queue"}, none=None)
    world = catalog()
    assert set(gpu_corun.part(settings, world, None).gpu_corun.sweeps) == {"pairs"}
    of_drop = gpu_corun.part(settings, world, "mine").gpu_corun.sweeps
    assert {name: sweep.traces for name, sweep in of_drop.items()} == {"dropped": ["mine"], "queue": ["mine"]}
    other = gpu_corun.part(settings, world, "other").gpu_corun.sweeps
    assert {name: sweep.traces for name, sweep in other.items()} == {"dropped": ["other"], "queue": []}


def test_a_trace_that_is_not_there_or_lacks_kernels_is_named():
    with pytest.raises(ValueError, match=r"minee.*did you mean 'mine'"):
        made(catalog(), queue={"workload": "queue", "traces": ["minee"]})
    with pytest.raises(ValueError, match="'pim' lacks rates of a kernel of its queue"):
        made(catalog(), queue={"workload": "queue", "traces": ["pim"]})
    settings = configuration(dropped={"kernels": "dropped", "traces": ["mine/x"]})
    with pytest.raises(ValueError, match="no trace 'mine/x'"):
        gpu_corun.part(settings, catalog(), "mine")
    with pytest.raises(ValueError, match="no scheduler 'slat'; did you mean 'slate'"):
        made(pairs={"schedulers": ["slat"]})


def test_what_does_not_go_together_is_refused_by_the_configuration():
    with pytest.raises(config.ConfigurationError, match="arrival: poisson is of drawn queues"):
        configuration(pairs={"arrival": "poisson"})
    with pytest.raises(config.ConfigurationError, match="the ensemble is of the published kernels"):
        configuration(dropped={"kernels": "dropped", "machines": 2})


def test_nothing_to_do_gives_empty_tables():
    inputs, scenarios = made(none=None)
    assert scenarios.is_empty()
    assert all(frame.is_empty() for frame in inputs.values())
