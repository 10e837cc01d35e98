"""Views of gpu_partition, compared with the files of the replays."""

import polars as pl
import pytest

from pipeline.claims.verdicts import mean_interval, wilson

STUDY = "gpu_partition"


def test_every_scenario_has_its_measures_and_its_setting(ask, measured):
    ours = ask("FROM gpu_partition_result")
    both = measured.join(ours, on="scenario_id", suffix="_view", validate="1:1")
    assert len(both) == len(ours) == len(measured)
    for name in ("schedulable", "sms_needed", "tests", "scheduled_workload", "partitions"):
        assert both[name].equals(both[f"{name}_view"].rename(name), null_equal=True)
    # a/m + b is what was fitted to a measured curve: an option of the others only.
    assert set(both.filter(pl.col("kind") == "measured")["setting"]) == {"paper", "merged to exhaustion"}
    both = both.filter(pl.col("kind") != "measured")
    options = {
        "increasing order": ("order", "increasing"),
        "non-preemptive": ("edf", "non_preemptive"),
        "literal execution times": ("execution_mode", "literal"),
        "merged to exhaustion": ("stop", "exhaust"),
    }
    for setting, (column, value) in options.items():
        assert ((both["setting"] == setting) == (both[column] == value)).all()
        assert (both[column] == value).any()
    inside = ours["excess"].drop_nulls()
    assert inside.is_between(-1e-9, 1 + 1e-9).all()


def test_measured_durations_are_kept_apart(ask):
    assert ask("SELECT DISTINCT metric FROM measured_gpu_partition")["metric"].to_list() == ["analysis_s"]
    assert ask("SELECT count(*) AS n FROM metric WHERE metric = 'analysis_s'")["n"].to_list() == [0]
    assert ask("SELECT min(value) AS least FROM measured_gpu_partition")["least"][0] >= 0


@pytest.mark.parametrize(("view", "tasks"), [(5, 50), (7, 200)])
def test_rates_have_wilsons_intervals(ask, measured, view, tasks):
    rows = ask(f"FROM fig_gpu_partition_{view}").to_dicts()
    paper = measured.filter(
        (pl.col("tasks") == tasks) & (pl.col("kind") == "generated") & (pl.col("order") == "decreasing")
        & (pl.col("edf") == "preemptive") & (pl.col("execution_mode") == "scaled") & (pl.col("sms") == 68)
        & (pl.col("hyperperiod") == 4000)
    )  # fmt: skip
    assert len(rows) > 5
    for row in rows:
        schedulable = paper.filter(
            (pl.col("utilisation") == row["utilisation"])
            & (pl.col("scheduler") == row["scheduler"])
            & (pl.col("forbidden") == row["forbidden"])
        )["schedulable"]
        expected = wilson(int(schedulable.sum()), len(schedulable))
        assert row["sets"] == len(schedulable)
        assert (row["schedulable"], row["schedulable_lo"], row["schedulable_hi"]) == pytest.approx(
            (expected.value, expected.lo, expected.hi)
        )


def test_workloads_have_students_intervals_and_lie_between_their_bounds(ask, measured):
    rows = ask("FROM fig_gpu_partition_6").to_dicts()
    for row in rows:
        assert row["workload_lower"] <= row["scheduled_workload"] + 1e-9
        assert row["scheduled_workload"] <= row["workload_upper"] + 1e-9
        if row["scheduler"] == "one_gpu":
            assert row["scheduled_workload"] == pytest.approx(row["workload_upper"])
    one = next(row for row in rows if (row["scheduler"], row["forbidden"], row["utilisation"]) == ("sms", "act", 44))
    workloads = measured.filter(
        (pl.col("tasks") == 50) & (pl.col("utilisation") == 44) & (pl.col("scheduler") == "sms")
        & (pl.col("forbidden") == "act") & (pl.col("order") == "decreasing")
    )["scheduled_workload"].to_list()  # fmt: skip
    expected = mean_interval(workloads)
    assert (one["scheduled_workload"], one["scheduled_workload_lo"], one["scheduled_workload_hi"]) == pytest.approx(
        (expected.value, expected.lo, expected.hi)
    )


def test_launch_tables_cover_every_task_once_and_no_sm_twice(ask):
    rows = ask("FROM gpu_partition_launch")
    tasks = dict(ask("SELECT taskset_id, count(*) FROM task_gpu_partition GROUP BY ALL").iter_rows())
    assert {"dropped/automotive_like", "measured/thesis_table_6-n6-load0.3/s000"} <= set(rows["taskset"])
    for (taskset, sms), launches in rows.group_by("taskset", "sms"):
        placed = launches["tasks"].explode()
        assert len(placed) == placed.n_unique() == tasks[taskset]
        held = [sm for a, b in launches.select("first_sm", "last_sm").iter_rows() for sm in range(a, b + 1)]
        assert sorted(held) == list(range(len(held)))
        assert len(held) <= sms
        assert (launches["last_sm"] - launches["first_sm"] + 1 == launches["partition_sms"]).all()
        assert (launches["utilisation"] <= 1 + 1e-9).all()
        assert launches["scheduler"].n_unique() == 1


def test_the_recommended_scheduler_schedules_most_and_is_the_simplest_that_does(ask, measured):
    complexity = dict(ask("SELECT scheduler, complexity FROM scheduler WHERE study = 'gpu_partition'").iter_rows())
    usual = measured.filter(
        (pl.col("order") == "decreasing") & (pl.col("forbidden") == "inactive") & (pl.col("edf") == "preemptive")
        & ((pl.col("execution_mode") == "literal") == (pl.col("kind") == "measured")) & (pl.col("stop") == "fit")
        & pl.col("schedulable").is_not_null()
    )  # fmt: skip
    rows = ask("FROM recommended_gpu_partition").to_dicts()
    assert len(rows) > 5
    assert {row["workload"] for row in rows} >= {f"measured/thesis_table_6-n6-load{load}" for load in (0.3, 0.5)}
    for row in rows:
        family_rows = usual.filter((pl.col("family") == row["workload"]) & (pl.col("sms") == row["sms"]))
        means = family_rows.group_by("scheduler").agg(pl.col("schedulable").mean(), pl.len())
        means = means.filter(pl.col("len") == family_rows["batch"].n_unique())
        best = means["schedulable"].max()
        if best == 0:
            assert row["scheduler"] is None
            continue
        # Fewer than five sets a family: ties are equal shares.
        among = means.filter(pl.col("schedulable") == best)["scheduler"].to_list()
        if family_rows["batch"].n_unique() < 5:
            assert row["scheduler"] == min(among, key=complexity.get)
        assert row["value"] >= best - 0.01
        assert row["sms_spare"] is None or row["sms_spare"] == pytest.approx(row["sms"] - row["sms_least"])


def test_merging_to_exhaustion_needs_no_more_sms(ask):
    rows = ask("""
        SELECT a.sms_needed AS fit, b.sms_needed AS exhaust
        FROM gpu_partition_result AS a
        JOIN gpu_partition_result AS b USING (workload, batch, sms, scheduler, forbidden)
        WHERE a.setting = 'paper' AND b.setting = 'merged to exhaustion' AND scheduler IN ('sms', 'bf')""")
    assert len(rows) > 0
    assert (rows["exhaust"] <= rows["fit"]).all()


def test_partitions_on_fewer_sms_than_were_measured_are_marked(ask):
    rows = ask("""
        SELECT launch.taskset, partition, extrapolated_tasks, (
            SELECT count(*) FROM task_gpu_partition AS task
            WHERE task.taskset_id = launch.taskset AND list_contains(launch.tasks, task_id)
                AND least_sms > partition_sms
        ) AS expected
        FROM gpu_partition_launch AS launch""")
    assert (rows["extrapolated_tasks"] == rows["expected"]).all()
    assert (rows["extrapolated_tasks"] > 0).any()
    assert set(rows.filter(pl.col("extrapolated_tasks") > 0)["taskset"].str.split("/").list.first()) == {"measured"}
