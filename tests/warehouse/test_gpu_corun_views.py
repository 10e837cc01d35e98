"""Views of gpu_corun, compared with the files of the replays."""

import duckdb
import numpy as np
import polars as pl
import pytest
from scipy import stats

from pipeline.gpus.intensity import CLASSES, THRESHOLDS, Thresholds, class_numbers, intensity
from pipeline.warehouse import definitions

STUDY = "gpu_corun"

PAIRS = 15


def over(measured: pl.DataFrame, baseline: str) -> pl.DataFrame:
    """Gains in throughput over a scheduler on the same applications, kernels and machine."""
    key = ["workload_id", "model_id", "sms"]
    base = measured.filter(scheduler=baseline).select(*key, m0="makespan_s", k0="kernel_makespan_s")
    joined = measured.join(base, on=key)
    return joined.with_columns(
        gain=pl.col("m0") / pl.col("makespan_s") - 1, kernel=pl.col("k0") / pl.col("kernel_makespan_s") - 1
    )


def published(runs: pl.DataFrame, kind: str = "pair") -> pl.DataFrame:
    default = (pl.col("split") == "equal") & (pl.col("symmetry") == "printed") & (pl.col("task_size") == 10)
    return runs.filter(default & (pl.col("kind") == kind) & (pl.col("origin") == "published"))


def test_every_scenario_stands_beside_cuda_and_mps(ask, measured):
    ours = ask("SELECT scenario_id, gain_over_cuda, gain_over_mps, kernel_gain_over_mps FROM gpu_corun_result")
    assert len(ours) == len(measured)
    for baseline, column in (("cuda", "gain_over_cuda"), ("mps", "gain_over_mps")):
        both = over(measured, baseline).join(ours, on="scenario_id", validate="1:1")
        assert len(both) == len(ours)
        assert both[column].to_list() == pytest.approx(both["gain"].to_list(), abs=1e-12)
    assert both["kernel_gain_over_mps"].to_list() == pytest.approx(both["kernel"].to_list(), abs=1e-12)


def test_rates_are_what_the_loops_do_alone_over_the_time_of_the_kernels(ask):
    rows = ask("""
        SELECT
            scenario_id, any_value(result.memory_gbps) AS rate, any_value(result.gflops) AS computing,
            sum(kernel_gpu_corun.memory_gbps * coalesce(loop_s, 30)) / any_value(kernel_makespan_s) AS memory_gbps,
            sum(kernel_gpu_corun.gflops * coalesce(loop_s, 30)) / any_value(kernel_makespan_s) AS gflops
        FROM gpu_corun_result AS result
        JOIN (SELECT scenario_id, workload_id FROM scenario) USING (scenario_id)
        JOIN queue_gpu_corun USING (workload_id)
        JOIN kernel_gpu_corun ON kernel_gpu_corun.kernel = queue_gpu_corun.kernel
            AND kernel_gpu_corun.model_id = result.model_id
        GROUP BY ALL""")
    assert len(rows) > 500
    assert rows["rate"].to_list() == pytest.approx(rows["memory_gbps"].to_list())
    assert rows["computing"].to_list() == pytest.approx(rows["gflops"].to_list())
    rates = dict(ask("SELECT scheduler, memory_gbps FROM table_gpu_corun_4").iter_rows())
    # Under MPS one runs after the other, each for 30 s: the mean of Table II's bandwidths.
    assert rates["mps"] == pytest.approx((401.49 + 71.6) / 2)
    assert rates["slate"] > rates["mps"]


def test_what_the_paper_calls_antt_is_the_makespan_and_the_standard_one_is_another(ask):
    rows = ask("""
        SELECT
            scenario_id, any_value(makespan_s) AS makespan_s, any_value(antt) AS antt, any_value(stp) AS stp,
            max(end_s) - min(arrival_s) AS last_s,
            avg((end_s - arrival_s) / (coalesce(setup_s, 3) + coalesce(loop_s, 30))) AS standard,
            sum((coalesce(setup_s, 3) + coalesce(loop_s, 30)) / (end_s - arrival_s)) AS throughput
        FROM gpu_corun_result
        JOIN outcome_gpu_corun USING (scenario_id)
        JOIN (SELECT scenario_id, workload_id FROM scenario) USING (scenario_id)
        JOIN queue_gpu_corun USING (workload_id, "position")
        JOIN kernel_gpu_corun ON kernel_gpu_corun.kernel = queue_gpu_corun.kernel
            AND kernel_gpu_corun.model_id = gpu_corun_result.model_id
        GROUP BY ALL""")
    assert len(rows) > 500
    for ours, recomputed in (("makespan_s", "last_s"), ("antt", "standard"), ("stp", "throughput")):
        assert rows[ours].to_list() == pytest.approx(rows[recomputed].to_list())


def test_figure_7_has_the_documented_parameters_and_the_range_of_the_models(ask, measured):
    rows = ask("FROM fig_gpu_corun_7").to_dicts()
    assert len(rows) == 2 * (PAIRS + 1)
    for row in rows:
        runs = published(over(measured, row["over"]))
        pair_runs = runs if row["pair"] == "mean" else runs.filter(pair=row["pair"])
        slate = pair_runs.filter(scheduler="slate").group_by("model_id").agg(pl.col("gain").mean())
        models = slate.filter(pl.col("model_id") != "default")["gain"].to_numpy()
        assert row["models"] == len(models) == 15
        assert row["gain"] == pytest.approx(slate.filter(model_id="default")["gain"].item())
        assert row["gain_median"] == pytest.approx(np.median(models))
        assert (row["gain_lo"], row["gain_hi"]) == pytest.approx(tuple(np.quantile(models, [0.05, 0.95])))
        assert row["gain_optimal"] == pytest.approx(pair_runs.filter(scheduler="optimal")["gain"].mean())
        assert row["gain_optimal"] >= row["gain"]


def test_claims_have_machines_with_splits_as_settings_and_draws_as_replicates(ask, measured):
    rows = ask("FROM gpu_corun_claim")
    assert rows["setting"].n_unique() == 1 + 3 * 2
    counts = rows.filter(setting="m0001/saturate", kind="pair").group_by("replicate").len()
    assert sorted(counts.rows()) == [(f"k0{k}", PAIRS) for k in range(5)]
    runs = published(over(measured, "mps")).filter(
        (pl.col("scheduler") == "slate") & pl.col("model_id").str.starts_with("m0002/")
    )
    default = rows.filter(setting="default", replicate="m0002", kind="pair")
    assert default["gain_over_mps"].mean() == pytest.approx(runs["gain"].mean())


def test_task_sizes_stand_beside_the_printed_ones(ask):
    rows = ask("FROM fig_gpu_corun_5 WHERE printed IS NOT NULL")
    assert rows.select("kernel", "task_size").rows() == [("BS", 1), ("BS", 10), ("GS", 1), ("GS", 10)]
    assert rows["time_over_cuda"].to_list() == pytest.approx(rows["printed"].to_list())


def test_parts_of_an_application_alone_add_up_to_its_time(ask, measured):
    rows = ask("FROM fig_gpu_corun_6")
    whole = rows.group_by("kernel", "scheduler").agg(pl.col("time_s").sum(), pl.col("until_s").max())
    alone = published(measured, "alone").filter(model_id="default")
    both = whole.join(alone, left_on=["kernel", "scheduler"], right_on=["pair", "scheduler"], validate="1:1")
    assert len(both) == 15
    assert both["time_s"].to_list() == pytest.approx(both["makespan_s"].to_list())
    assert both["until_s"].to_list() == pytest.approx(both["makespan_s"].to_list())
    assert rows.drop_nulls("printed_kernel_s").select("kernel", "scheduler", "printed_kernel_s").rows() == [
        ("GS", "cuda", 24.7),
        ("GS", "slate", 18.9),
    ]


def test_the_stream_of_the_model_saturates_where_the_paper_has_it(ask):
    rows = ask("SELECT sms, speed FROM fig_gpu_corun_1 WHERE source = 'model'")
    assert len(rows) == 30
    assert rows.filter(pl.col("speed") >= 1 - 1e-12)["sms"].min() == 9


def test_timelines_are_of_every_pair_and_scheduler_and_do_the_loops(ask):
    rows = ask("FROM fig_gpu_corun_timeline")
    assert rows.select("pair", "scheduler").n_unique() == PAIRS * 4
    done = rows.group_by("scenario_id", "kernel", "position").agg(
        ((pl.col("end_s") - pl.col("start_s")) * pl.col("speed")).sum().alias("done_s")
    )
    loops = done["kernel"].replace_strict({"GS": 24.7}, default=30.0)
    assert done["done_s"].to_list() == pytest.approx(loops.to_list())


def test_the_recommendation_is_the_simplest_of_those_no_worse_than_the_best(ask, measured):
    complexity = dict(ask("SELECT scheduler, complexity FROM scheduler WHERE study = 'gpu_corun'").iter_rows())
    rows = ask("FROM recommended_gpu_corun WHERE trace = 'published'").to_dicts()
    assert len(rows) == PAIRS + 2
    defaults = (pl.col("model_id") == "default") & (pl.col("scheduler") != "optimal") & (pl.col("task_size") == 10)
    runs = over(measured, "cuda").filter(defaults & (pl.col("origin") == "published"))
    for row in rows:
        facts = {k: row[k] for k in ("kind", "arrival", "applications")} | (
            {"pair": row["pair"]} if row["pair"] else {}
        )
        every = runs.filter(**facts).with_columns(log=-pl.col("makespan_s").log())
        equal_split = every.filter(split="equal")
        means = dict(equal_split.group_by("scheduler").agg(pl.col("log").mean()).iter_rows())
        best = max(means, key=means.get)
        tied = [s for s in means if means[best] - means[s] <= _tie(equal_split, best, s)]
        assert row["scheduler"] == min(tied, key=complexity.get)
        others = max(mean for s, mean in means.items() if s != row["scheduler"])
        assert row["margin"] == pytest.approx(np.exp(means[row["scheduler"]] - others) - 1)
        assert row["replicates"] == equal_split["batch"].n_unique()
        gains = equal_split.filter(scheduler=row["scheduler"])["gain"].to_numpy()
        assert row["value"] == pytest.approx(np.exp(np.log1p(gains).mean()) - 1)
        antt = dict(equal_split.group_by("scheduler").agg(pl.col("antt").mean()).iter_rows())
        assert antt[row["best_antt"]] == pytest.approx(min(antt.values()))
        splits = dict(every.filter(scheduler="slate").group_by("split").agg(pl.col("log").mean()).iter_rows())
        assert splits[row["best_split"]] == pytest.approx(max(splits.values()))


def _tie(runs: pl.DataFrame, best: str, other: str) -> float:
    """How far means may differ and be a tie: 1 % at most within the paired interval, 0.1 % with few batches."""
    a, b = (runs.filter(scheduler=s).sort("batch")["log"].to_numpy() for s in (best, other))
    if len(a) < 5:
        return 0.001
    return min(0.01, stats.t.ppf(0.975, len(a) - 1) * np.std(a - b, ddof=1) / np.sqrt(len(a)))


@pytest.mark.parametrize("replayed", [None, Thresholds(*(2 * t for t in THRESHOLDS))], ids=["defaults", "of a card"])
def test_classes_of_kernels_are_those_that_table_1_is_read_by(replayed):
    """On a table of kernels at, below and above each threshold, with those of the trace's replays where there are."""
    thresholds = replayed or THRESHOLDS
    rates = [0.0, *(t + d for t in sorted(set(thresholds)) for d in (-1e-9, 0.0, 1e-9))]
    kernels = pl.DataFrame(
        [("t", "a", f"k{i}/{j}", 1.0, x, y) for i, x in enumerate(rates) for j, y in enumerate(rates)],
        schema=["trace", "app", "kernel", "time_s", "gflops", "memory_gbps"],
        orient="row",
    )
    apps = kernels.rename({"time_s": "kernel_s"})[:1].with_columns(gflops=pl.lit(None, pl.Float64))
    trace = pl.DataFrame({"trace": ["t"], "kind": ["measured"]})
    with duckdb.connect() as connection:
        facts = {"scenario_id": "s", "study": "gpu_corun", "model_id": "t"}
        scenarios = pl.DataFrame(facts | thresholds._asdict()).head(replayed is not None)
        card = pl.DataFrame({"trace": ["t"], "peak_gflops": [12150.0], "bandwidth_gbps": [547.6]})
        named_frames = (
            ("kernel", kernels),
            ("gpu_app", apps),
            ("trace", trace),
            ("scenario", scenarios),
            ("gpu", card),
        )
        for name, frame in named_frames:
            connection.register("given", frame.to_arrow())
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM given")
        connection.execute(definitions.files_of("gpu_kernel_intensity")[-1].read_text())
        rows = pl.from_arrow(connection.sql("FROM gpu_kernel_intensity").to_arrow_table())
    of_app, of_kernels = (rows.filter(pl.col("kernel").is_null() == flag) for flag in (True, False))
    assert of_app.select("compute", "memory", "class").row(0) == (None, "L", None)
    assert len(of_kernels) == len(kernels)
    for row in of_kernels.iter_rows(named=True):
        pair = row["gflops"], row["memory_gbps"]
        assert (row["compute"], row["memory"]) == intensity(*pair, thresholds)
        assert row["class"] == CLASSES[int(class_numbers(*pair, thresholds))]


def test_answers_say_what_card_and_what_lengths_they_rest_on(ask, small_results):
    """Cautions by hand: an application whose loop is shorter than its set-up, from the files of the scenarios stage."""
    folder = small_results / "scenarios" / "gpu_corun" / "trace-nvprof_like"
    queue, kernels = (pl.read_parquet(folder / f"{name}.parquet") for name in ("queue", "kernels"))
    alone = (
        queue.join(kernels, on="kernel").group_by("workload_id").agg(short=(pl.col("loop_s") < pl.col("setup_s")).any())
    )
    short = {row["workload_id"].removeprefix("pair/nvprof_like/"): row["short"] for row in alone.to_dicts()}
    rows = ask("FROM recommended_gpu_corun WHERE trace = 'nvprof_like' AND kind = 'pair'").to_dicts()
    assert {row["caution"] is not None for row in rows} == {True, False}
    for row in rows:
        assert (row["caution"] is not None) == short[row["pair"]]
        assert (row["gpu"], row["gpu_origin"], row["loop_origin"]) == ("GeForce GTX 1080 Ti", "looked_up", "measured")
    published = ask(
        "SELECT DISTINCT gpu, gpu_origin, loop_origin, caution FROM recommended_gpu_corun WHERE trace = 'published'"
    )
    assert published.rows() == [("TITAN Xp", "published", "published", None)]
    card = ask("FROM gpu WHERE trace = 'nvprof_like'").row(0, named=True)
    scenario = ask(
        "SELECT DISTINCT peak_gflops, bandwidth_gbps, high_memory_gbps FROM scenario "
        "WHERE model_id = 'nvprof_like' AND study = 'gpu_corun'"
    ).row(0)
    assert scenario[0] == card["peak_gflops"] == 11340
    assert scenario[1:] == pytest.approx((450 * 484.4 / 547.6, 492 * 484.4 / 547.6))
