"""Workloads of traces: what a log says, what is assumed where it does not, and the scenarios."""

import numpy as np
import polars as pl
import pytest

from pipeline import config, tables
from pipeline.stages import fit, ingest
from pipeline.studies import memory_tiers

GIB = 1024**3 / 1e9
SACCT = """\
JobID|JobName|User|Submit|Start|End|NNodes|NCPUS|NTasks|Timelimit|ReqMem|MaxRSS|State|NodeList
1|a|ada|2024-03-01T12:00:00|2024-03-01T12:05:00|2024-03-01T13:05:00|2|8||02:00:00|32G||COMPLETED|n[1-2]
1.0|a||2024-03-01T12:05:00|2024-03-01T12:05:00|2024-03-01T13:05:00|2|8|2|||4G|COMPLETED|n[1-2]
2|b|bob|2024-03-01T12:10:00|2024-03-01T12:20:00|2024-03-01T12:50:00|1|4||01:00:00|2G||COMPLETED|n3
2.0|b||2024-03-01T12:20:00|2024-03-01T12:20:00|2024-03-01T12:50:00|1|4|1|||3G|COMPLETED|n3
3|c|bob|2024-03-01T12:30:00|2024-03-01T12:40:00|2024-03-01T13:00:00|1|4||01:00:00|||COMPLETED|n4
"""


def catalog(**jobs):
    """A trace of four nodes; columns of its jobs."""
    given = pl.DataFrame({"trace": "t", **jobs})
    empty = {name: tables.empty(schema) for name, schema in tables.CANONICAL.items()}
    full = pl.concat([empty["jobs"], given.cast({c: empty["jobs"].schema[c] for c in given.columns})], how="diagonal")
    trace = pl.DataFrame({"trace": ["t"], "drop": ["t"], "kind": ["measured"], "nodes": [4]})
    traces = pl.concat([empty["traces"], trace.cast({"nodes": empty["traces"].schema["nodes"]})], how="diagonal")
    return {"jobs": full, "traces": traces}


@pytest.fixture
def log():
    return catalog(
        job_id=["1", "2", "3", "4"], submit_s=[0.0, 10, 20, 30], nodes=[1, 2, 1, 1],
        runtime_s=[100.0, 50, 50, None], used_memory_gb=[1.0, 4, None, 2], requested_memory_gb=[2.0, 3, None, 8],
    )  # fmt: skip


def test_a_request_is_the_logs_or_a_factor_of_the_use_and_never_less_than_it(log):
    made = memory_tiers.workloads(config.Configuration(), log)
    jobs = made["jobs"].sort("job_id")
    # The last job's run time is not known; the third has neither use nor request.
    assert jobs["job_id"].to_list() == ["1", "2", "3"]
    assert jobs["request_gb"].to_list()[:2] == [2, 4]
    peak = made["phases"].filter(job_id="3")["memory_gb"].max()
    assert peak in (1, 4) and peak <= jobs["request_gb"][2] <= 2 * peak
    assert made["phases"].filter(job_id="3")["duration_s"].sum() == 50
    row = made["workloads"].row(0, named=True)
    work = 100 + 100 + 50
    assert row["memory_assumed"] == row["request_assumed"] == 50 / work
    assert row["request_raised"] == 100 / work
    assert (row["jobs"], row["jobs_left_out"], row["nodes"], row["spans"]) == (3, 1, 4, 1)


def test_sensitivities_are_drawn_by_the_shares_of_their_classes():
    count = 4000
    log = catalog(
        job_id=[f"{k:05d}" for k in range(count)], submit_s=np.arange(float(count)), nodes=[1] * count,
        runtime_s=[10.0] * count, used_memory_gb=[1.0] * count,
    )  # fmt: skip
    parsed = config.Configuration()
    jobs = memory_tiers.workloads(parsed, log)["jobs"]
    for name, law in parsed.memory_tiers.sensitivity.items():
        class_jobs = jobs.filter(sensitivity_class=name)
        assert set(class_jobs["sensitivity"]) == {law.slowdown}
        # Four standard deviations of a share.
        assert abs(len(class_jobs) / count - law.share) < 4 * (law.share * (1 - law.share) / count) ** 0.5


def test_a_sensitivity_of_the_log_is_kept_and_counts_to_the_nearest_class(tmp_path):
    drop = tmp_path / "site"
    drop.mkdir()
    (drop / "export.csv").write_text(
        "job_id,submit_s,nodes,runtime_s,used_memory_gb,sensitivity\n"
        "a,0,1,100,4,0.31\nb,10,2,50,4,\nc,20,1,50,4,0\nd,30,1,50,4,-0.1\n"
    )
    ingest.ingest(drop, tmp_path / "ingest")
    read = {path.stem: pl.read_parquet(path) for path in (tmp_path / "ingest").glob("*.parquet")}
    rejected = read["rejected_rows"].select("row", "reason").rows()
    assert len(rejected) == 1 and rejected[0][0] == 5 and "sensitivity" in rejected[0][1]
    parsed = config.Configuration()
    made = memory_tiers.workloads(parsed, read)
    jobs = made["jobs"].sort("job_id")
    law = {name: each.slowdown for name, each in parsed.memory_tiers.sensitivity.items()}
    assert jobs["sensitivity"].to_list() == [0.31, law[jobs["sensitivity_class"][1]], 0]
    assert (jobs["sensitivity_class"][0], jobs["sensitivity_class"][2]) == ("high", "none")
    assert made["workloads"]["sensitivity_assumed"].to_list() == [100 / 250]


def test_windows_are_spread_over_a_trace_and_their_jobs_add_up():
    log = catalog(
        job_id=[f"{k:02d}" for k in range(20)], submit_s=np.arange(20.0), nodes=[1] * 20, runtime_s=[1.0] * 20,
        used_memory_gb=[1.0] * 20,
    )  # fmt: skip
    parsed = config.parse({"memory_tiers": {"sweeps": {"whole": {"jobs": 5, "batches": 2}}}})
    made = memory_tiers.workloads(parsed, log)
    jobs = {name: window_jobs["job_id"].to_list() for (name,), window_jobs in made["jobs"].group_by("workload_id")}
    assert jobs == {
        "tiers/t/by5/b00": [f"{k:02d}" for k in range(5, 10)],
        "tiers/t/by5/b01": [f"{k:02d}" for k in range(15, 20)],
    }


def test_scenarios_are_the_grid_and_policies_without_pool_have_none(log):
    rows = memory_tiers.scenarios(config.Configuration(), log)
    sizes = dict(rows.group_by("scheduler").len().iter_rows())
    # Eight sizes by seven, and nodes for the largest job without a pool; nodes without memory cannot do without one.
    assert sizes == {
        "all_local": 1, "requested_local": 8, "requested_spread": 8,
        "static_pool": 57, "static_used": 57, "dynamic_pool": 57, "priority": 57, "oldest_first": 57,
    }  # fmt: skip
    assert set(rows.filter(pl.col("scheduler").str.starts_with("requested"))["pool_per_node_gb"]) == {0}
    made = memory_tiers.workloads(config.Configuration(), log)
    result = memory_tiers.replay(made, rows)
    assert len(result["metrics"]) == len(rows) * 12


def test_a_sweep_varies_the_queue_and_what_becomes_of_growth(log):
    sweep = {
        "local_over_mean": [0.5], "pool_over_mean": [4], "backfilling": ["easy", "reserve"], "reserve_depth": [2, -1],
        "growth": ["wait", "requeue"], "schedulers": ["all_local", "static_pool", "dynamic_pool"],
    }  # fmt: skip
    parsed = config.parse({"memory_tiers": {"sweeps": {"whole": sweep}}})
    rows = memory_tiers.scenarios(parsed, log)
    asked = rows.select("scheduler", "backfilling", "reserve_depth", "growth")
    queues = [("easy", 1), ("reserve", 2), ("reserve", -1)]
    expected = {(name, *queue, "wait") for name in sweep["schedulers"] for queue in queues}
    assert set(asked.rows()) == expected | {("dynamic_pool", *queue, "requeue") for queue in queues}
    # On the machine of the sweep, and on nodes for the largest job without a pool.
    assert rows["scenario_id"].str.ends_with("-reserve-1-requeue").sum() == 2
    result = memory_tiers.replay(memory_tiers.workloads(parsed, log), rows)
    assert set(result["metrics"]["scenario_id"]) == set(rows["scenario_id"])


def test_a_trace_that_is_not_there_is_named(log):
    parsed = config.parse({"memory_tiers": {"sweeps": {"whole": {"traces": ["u"]}}}})
    with pytest.raises(ValueError, match="trace 'u' has no jobs with memory, or is not there"):
        memory_tiers.workloads(parsed, log)


@pytest.mark.parametrize(
    "section, message",
    [
        ({"sensitivity": {"all": {"share": 0.9, "slowdown": 0.1}}}, r"shares sum to 0.9; 1 would be right"),
        ({"request_over_use": [2, 1]}, r"two rising numbers from 1 on would be right"),
        ({"sweeps": {"whole": {"schedulers": ["static"]}}}, r"no scheduler 'static'"),
    ],
)
def test_settings_that_are_no_law_are_refused(section, message):
    with pytest.raises(ValueError, match=message):
        config.parse({"memory_tiers": section})


def test_without_a_pool_as_much_memory_as_any_job_is_given_is_tried(log):
    parsed = config.Configuration()
    workload = memory_tiers.workloads(parsed, log)["workloads"].row(0, named=True)
    alone = memory_tiers.scenarios(parsed, log).filter(pool_per_node_gb=0)
    for scheduler, most in (
        ("requested_local", "most_request_gb"),
        ("static_pool", "most_request_gb"),
        ("dynamic_pool", "most_memory_gb"),
    ):
        assert round(workload[most], 9) in alone.filter(scheduler=scheduler)["local_per_node_gb"].to_list()


def test_an_accounting_log_of_slurm_has_requests_and_use(tmp_path):
    drop = tmp_path / "site"
    drop.mkdir()
    (drop / "march.sacct").write_text(SACCT)
    ingest.ingest(drop, tmp_path / "ingest")
    fit.fit(tmp_path / "ingest", tmp_path / "fit")
    folders = (tmp_path / "ingest", tmp_path / "fit")
    read = {path.stem: pl.read_parquet(path) for folder in folders for path in folder.glob("*.parquet")}
    made = memory_tiers.workloads(config.Configuration(), read)
    jobs = made["jobs"].sort("job_id")
    # Per node: 32 GiB over two nodes; 2 GiB where 3 were used; nothing known of the third.
    assert jobs["request_gb"].to_list()[:2] == pytest.approx([16 * GIB, 3 * GIB])
    assert made["phases"].sort("job_id")["memory_gb"].to_list()[:2] == pytest.approx([4 * GIB, 3 * GIB])
    work = 2 * 3600 + 1800 + 1200
    assert made["workloads"]["request_assumed"][0] == pytest.approx(1200 / work)
    rows = memory_tiers.scenarios(config.Configuration(), read | {"workloads": made["workloads"]})
    assert len(memory_tiers.replay(made, rows)["metrics"])
