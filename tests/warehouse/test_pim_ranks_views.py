"""Views of pim_ranks, compared with the files of the replays."""

import duckdb
import numpy as np
import polars as pl
import pytest
from scipy import stats

from pipeline.fit.measured_shapes import TABLE_2
from pipeline.runtime.sources import ROOT

STUDY = "pim_ranks"

VIEW = ROOT / "pipeline" / "studies" / "pim_ranks" / "views" / "ranks_to_give.sql"
SETS = ["W1", "W2", "W3", "W4", "W5"]


def over(measured: pl.DataFrame, baseline: str) -> pl.DataFrame:
    """Ratios of throughput and of turnaround time to those of a scheduler on the same jobs, tables and ranks."""
    key = ["workload_id", "table_id", "ranks"]
    base = measured.filter(pl.col("scheduler") == baseline).select(*key, t0="throughput_per_s", a0="att_s")
    joined = measured.join(base, on=key)
    return joined.with_columns(t=pl.col("throughput_per_s") / pl.col("t0"), a=pl.col("a0") / pl.col("att_s"))


def geometric(values) -> float:
    return float(np.exp(np.log(np.asarray(values)).mean()))


def test_every_scenario_stands_beside_se_full(ask, measured):
    ours = ask("SELECT scenario_id, throughput_ratio, att_ratio FROM pim_ranks_result")
    both = over(measured, "se_full").join(ours, on="scenario_id", validate="1:1")
    assert len(both) == len(ours) == len(measured)
    assert both["throughput_ratio"].to_list() == pytest.approx(both["t"].to_list())
    assert both["att_ratio"].to_list() == pytest.approx(both["a"].to_list())
    assert set(both.filter(pl.col("scheduler") == "se_full")["t"]) == {1.0}


def test_throughput_is_jobs_over_the_last_end_of_the_outcomes(ask):
    rows = ask("""
        SELECT
            scenario_id, any_value(throughput_per_s) AS given, count(*) / (max(end_s) - min(arrival_s)) AS found,
            any_value(att_s) AS att, avg(end_s - arrival_s) AS found_att
        FROM pim_ranks_result JOIN outcome_pim_ranks USING (scenario_id) JOIN scenario USING (scenario_id)
        JOIN queue_pim_ranks USING (workload_id, job_id)
        GROUP BY ALL""")
    assert len(rows) > 0
    assert rows["given"].to_list() == pytest.approx(rows["found"].to_list())
    assert rows["att"].to_list() == pytest.approx(rows["found_att"].to_list())


@pytest.mark.parametrize(("view", "column", "ratio"), [("8a", "throughput", "t"), ("8b", "att", "a")])
def test_figure_8_has_geometric_means_with_intervals_over_batches(ask, measured, view, column, ratio):
    drawn = (pl.col("kind") == "sets") & (pl.col("origin") == "synthetic") & (pl.col("window") == 6)
    runs = over(measured, "se_full").filter(drawn & (pl.col("jobs") == 24))
    rows = ask(f"FROM fig_pim_ranks_{view}").to_dicts()
    assert {(row["evidence"], row["set_name"]) for row in rows} == {("measured_shapes", n) for n in [*SETS, "all"]}
    for row in rows:
        row_runs = runs.filter(pl.col("scheduler") == row["scheduler"])
        row_runs = row_runs if row["set_name"] == "all" else row_runs.filter(pl.col("set_name") == row["set_name"])
        assert row[column] == pytest.approx(geometric(row_runs[ratio]))
        means = [np.log(geometric(row_runs.filter(pl.col("batch") == b)[ratio])) for b in (0, 1)]
        error = np.std(means, ddof=1) / np.sqrt(2) * stats.t.ppf(0.975, 1)
        assert row[f"{column}_lo"] == pytest.approx(np.exp(np.mean(means) - error))
        assert row[f"{column}_hi"] == pytest.approx(np.exp(np.mean(means) + error))
        of_tables = [geometric(frame[ratio]) for _, frame in row_runs.group_by("table_id")]
        assert (row[f"{column}_least"], row[f"{column}_most"]) == pytest.approx((min(of_tables), max(of_tables)))
        assert (row["tables"], row["batches"]) == (2, 2)


def test_figure_8c_has_all_sizes_of_sets(ask):
    rows = ask("SELECT DISTINCT jobs FROM fig_pim_ranks_8c ORDER BY jobs")
    assert rows["jobs"].to_list() == [12, 24, 36]


def test_figure_11_is_over_coarse_and_marked_as_a_proxy(ask, measured):
    runs = over(measured.filter(pl.col("kind") == "virtual_pim"), "virtual_pim_coarse")
    rows = ask("FROM fig_pim_ranks_11").to_dicts()
    assert {row["origin"] for row in rows} == {"proxy"}
    assert {row["requests"] for row in rows} == {"machine", "half", "best"}
    for row in rows:
        row_runs = runs.filter(
            (pl.col("scheduler") == row["scheduler"])
            & (pl.col("set_name") == row["set_name"])
            & pl.col("table_id").str.contains(f"-{row['requests']}14", literal=True)
        )
        assert len(row_runs) == 4
        assert row["throughput"] == pytest.approx(geometric(row_runs["t"]))
        assert row["att"] == pytest.approx(geometric(row_runs["a"]))


def test_timelines_are_of_one_set_and_never_hold_more_ranks_than_there_are(ask):
    rows = ask("FROM fig_pim_ranks_9")
    assert sorted(rows["scheduler"].unique()) == ["pim_care", "se_full", "se_opt", "sm_opt_fcfs", "sm_opt_ooo"]
    for _, frame in rows.group_by("scheduler"):
        assert len(frame) == 24
        for at in frame["start_s"]:
            held = frame.filter((pl.col("start_s") <= at) & (pl.col("end_s") > at * (1 + 1e-9)))
            assert held["ranks"].sum() <= 30
    assert rows.group_by("job_id").agg(pl.col("app").n_unique())["app"].to_list() == [1] * 24


def test_speeds_are_one_at_most_and_best_is_that_of_table_2(ask):
    rows = ask("FROM fig_pim_ranks_2")
    drawn = rows.filter(pl.col("source") == "measured_shapes")
    assert len(drawn) == 14 * 30
    assert drawn.select((pl.col("speed_least") <= pl.col("speed")).all()).item()
    assert drawn.select((pl.col("speed") <= pl.col("speed_most")).all()).item()
    assert drawn["speed_most"].max() == 1.0
    best = ask("SELECT DISTINCT app, ranks FROM fig_pim_ranks_2 WHERE is_best AND source = 'measured_shapes'")
    assert dict(best.iter_rows()) == TABLE_2


def test_overheads_are_those_of_the_schedulers(ask):
    rows = ask("SELECT DISTINCT scheduler, overhead_most FROM fig_pim_ranks_10 WHERE origin = 'input'")
    known = {"pim_care": 0.06, "care_floor": 0.06, "sm_opt_ooo": 0.06, "sm_opt_fcfs": 0.055, "se_full": 0, "se_opt": 0}
    for scheduler, share in rows.iter_rows():
        assert share == pytest.approx(known.get(scheduler, 0), abs=1e-12)


def test_where_the_most_measured_ranks_are_the_fastest_more_may_be_best():
    with duckdb.connect() as connection:
        connection.execute("""
            CREATE TABLE trace AS SELECT 't' AS trace, 'measured' AS kind;
            CREATE TABLE pim_curve AS
                SELECT 't' AS trace, app AS curve, 1 AS least_best_ranks, 4 AS most_best_ranks, 3 AS points,
                    'determined' AS status, NULL AS unit, 8 AS max_ranks
                FROM (VALUES ('rising'), ('falling')) AS apps(app);
            CREATE TABLE perf_table AS
                SELECT 't' AS trace, app AS curve, app, ranks, time_s, 1 / time_s AS perf, true AS chosen,
                    ranks = 2 AS is_best, if(ranks <= 4, 'measured', 'extrapolated') AS source
                FROM (VALUES ('rising', [4.0, 3, 2.5, 2]), ('falling', [4.0, 1, 2.5, 3])) AS apps(app, times),
                    (SELECT unnest(range(1, 9)) AS ranks) AS r,
                    LATERAL (SELECT coalesce(times[ranks], 5) AS time_s)""")
        connection.execute(VIEW.read_text(encoding="utf-8"))
        rows = connection.execute(
            "SELECT app, most_best_ranks, most_measured, still_faster FROM ranks_to_give"
        ).fetchall()
    assert rows == [("falling", 4, 4, False), ("rising", 8, 4, True)]


def test_ranks_to_give_are_the_smallest_with_nearly_all_speed(ask):
    rows = ask("FROM ranks_to_give").to_dicts()
    assert len(rows) == 14
    for row in rows:
        table = ask(f"FROM perf_table WHERE chosen AND trace = '{row['trace']}' AND app = '{row['app']}'")
        good = table.filter(pl.col("perf") > 0.95)["ranks"].min()
        assert row["best_ranks"] == good
        times = dict(table.select("ranks", "time_s").iter_rows())
        assert row["over_all_ranks"] == pytest.approx(times[30] / times[good])
        assert row["source"] == table.filter(pl.col("ranks") == good)["source"].item()


def test_the_recommendation_is_the_simplest_of_those_no_worse_than_the_best(ask, measured):
    runs = over(measured, "se_full").filter((pl.col("window") == 6) & (pl.col("scheduler") != "optimal"))
    complexity = dict(ask("SELECT scheduler, complexity FROM scheduler WHERE study = 'pim_ranks'").iter_rows())
    rows = ask(
        "FROM recommended_pim_ranks WHERE kind = 'sets' AND evidence = 'measured_shapes' AND jobs > 5 "
        "AND arrival = 'queued'"
    ).to_dicts()
    assert len(rows) == 15
    for row in rows:
        row_runs = runs.filter(
            (pl.col("origin") == "synthetic")
            & (pl.col("arrival") == "queued")
            & pl.col("table_id").str.starts_with("measured_shapes/")
            & (pl.col("set_name") == row["set_name"])
            & (pl.col("jobs") == row["jobs"])
        )
        means = {s: np.log(geometric(frame["t"])) for (s,), frame in row_runs.group_by("scheduler")}
        best = max(means.values())
        # Two batches: an interval says little, ties are within 0.1 %.
        tied = [s for s, mean in means.items() if best - mean <= 0.001]
        assert means[row["best_mean"]] == pytest.approx(best)
        assert row["scheduler"] in tied
        assert complexity[row["scheduler"]] == min(complexity[s] for s in tied)
        others = max(mean for s, mean in means.items() if s != row["scheduler"])
        assert row["margin"] == pytest.approx(np.exp(means[row["scheduler"]] - others) - 1)
        assert row["replicates"] == 2


def test_from_few_batches_nobody_is_called_better_whom_the_interval_does_not_call_so(ask):
    rows = ask("FROM recommended_pim_ranks WHERE replicates < 5 AND arrival <> 'traced'").to_dicts()
    assert {row["tied"] for row in rows} == {True, False, None}
    for row in rows:
        assert (row["tied"] is False) == (row["margin_lo"] is not None and row["margin_lo"] > 0), row
        assert row["tied"] is None or row["tied"] == (row["margin"] <= np.expm1(0.001)), row


def test_a_recommendation_names_the_applications_whose_best_ranks_nobody_measured(ask):
    guessed = ask("""
        SELECT trace, string_agg(app, ', ' ORDER BY app) AS apps FROM perf_table
        WHERE chosen AND is_best AND source = 'extrapolated' GROUP BY ALL""")
    named = dict(guessed.iter_rows())
    for row in ask("FROM recommended_pim_ranks").to_dicts():
        assert row["extrapolated_apps"] == named.get(row["trace"])


def test_members_of_the_ensemble_are_told_from_tables_of_a_trace(ask, measured):
    rows = ask("SELECT member, evidence, scenario.table_id FROM pim_ranks_result JOIN scenario USING (scenario_id)")
    known = pl.col("table_id").str.split("/")
    labelled = rows.with_columns(ensemble=known.list.get(0), number=known.list.get(1, null_on_oob=True))
    assert set(labelled.filter(pl.col("member").is_null())["ensemble"]) == {"prim_like"}
    drawn = labelled.drop_nulls("member")
    assert (drawn["member"] == drawn["ensemble"] + "/" + drawn["number"]).all()
    assert set(drawn.select("ensemble", "evidence").iter_rows()) == {("measured_shapes", "measured_shapes")}
    assert labelled["evidence"].null_count() == len(labelled) - len(drawn)
    asked = ask("SELECT DISTINCT evidence FROM recommended_pim_ranks WHERE set_name = 'W3' AND jobs = 24")
    assert sorted(asked["evidence"].fill_null("-")) == ["-", "measured_shapes"]


def test_other_windows_are_kept_out_of_the_papers_results(ask):
    assert len(ask('SELECT scenario_id FROM pim_ranks_result WHERE "window" = 3')) > 0
    assert len(ask('SELECT scenario_id FROM pim_ranks_paper JOIN scenario USING (scenario_id) WHERE "window" = 3')) == 0
