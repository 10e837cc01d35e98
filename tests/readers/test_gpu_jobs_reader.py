"""Logs of GPU clusters: GPUs and shares of them as what is counted, jobs that got none, attempts, no lent memory."""

import json

import polars as pl
import pytest

from pipeline import drops, tables
from pipeline.readers import gpu_jobs
from pipeline.readers._tables import HELD_BYTES_A_ROW
from pipeline.stages import ingest
from pipeline.studies.hpc_memory import workload

PODS = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"
MACHINES = "sn,cpu_milli,memory_mib,gpu,model\nn1,96000,786432,8,V100M32\nn2,96000,786432,2,P100\nn3,96000,786432,0,\n"
HELIOS = "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"


def pod(name, gpus, milli, created, scheduled, deleted):
    return f"{name},4000,15258,{gpus},{milli},,LS,Succeeded,{created},{deleted},{scheduled}\n"


def run(folder, files, trace_yaml=None):
    drop = folder / "demo"
    drop.mkdir(parents=True)
    for name, content in files.items():
        (drop / name).write_text(content)
    if trace_yaml:
        (drop / "trace.yaml").write_text(trace_yaml)
    summary = ingest.ingest(drop, folder / "out")
    assert summary.format == "gpu_jobs"
    return {path.stem: pl.read_parquet(path) for path in (folder / "out").glob("*.parquet")}


def jobs(found, *columns):
    return found["jobs"].select("job_id", *columns).rows()


def fates(found):
    return {
        reason or fate: rows
        for fate, reason, rows in found["tallies"].select("fate", "reason", "rows").iter_rows()
        if fate != "observed"
    }


def trace(found):
    return found["traces"].select("unit", "nodes", "nodes_origin").row(0)


def test_pods_that_share_gpus_are_counted_in_thousandths(tmp_path):
    text = PODS + pod("a", 8, 1000, 100, 110, 210) + pod("b", 1, 220, 150, 160, 170) + pod("c", 1, 1000, 160, 160, 161)
    found = run(tmp_path, {"openb_pod_list_default.csv": text, "openb_node_list_gpu_node.csv": MACHINES})
    assert trace(found) == ("milligpu", 10_000, "node_lists")
    assert jobs(found, "submit_s", "nodes", "runtime_s", "start_s", "end_s") == [
        ("a", 100, 8000, 100, 110, 210), ("b", 150, 220, 10, 160, 170), ("c", 160, 1000, 1, 160, 161),
    ]  # fmt: skip
    assert found["traces"]["memory_origin"].to_list() == [None]
    assert found["jobs"].select("requested_memory_gb", "used_memory_gb").null_count().row(0) == (3, 3)


@pytest.mark.parametrize(("settings", "size"), [("nodes: 16\n", (16, "stated")), (None, (10, "node_lists"))])
def test_whole_gpus_are_counted_as_such(settings, size, tmp_path):
    files = {"pods.csv": PODS + pod("a", 8, 1000, 100, 110, 210), "machines.csv": MACHINES}
    found = run(tmp_path, files, settings)
    assert trace(found) == ("gpu", *size)
    assert jobs(found, "nodes") == [("a", 8)]


def test_jobs_of_no_use_are_left_out_and_bad_ones_rejected(tmp_path):
    rows = [
        pod("a", 1, 500, 0, 0, 10), pod("b", 0, 0, 0, 0, 10), pod("c", 1, 1000, 0, "", 10), pod("d", 1, "x", 0, 0, 10),
        pod("e", "", 500, 0, 0, 10), pod("f", 2, 1000, 0, 10, 10), pod("g", 1.5, 1000, 0, 0, 10),
    ]  # fmt: skip
    found = run(tmp_path, {"pods.csv": PODS + "".join(rows) + "h,1\n"})
    assert jobs(found, "nodes") == [("a", 500)]
    assert fates(found) == {
        "used": 1, "no_gpu": 1, "never_started": 1, "gpu_milli_unreadable": 1, "nodes_missing": 1,
        "runtime_s_not_positive": 1, "nodes_not_an_integer": 1, "malformed_line": 1,
    }  # fmt: skip
    assert found["provenance"]["rows"].to_list() == [8]


def test_helios_has_dates_and_none_for_what_did_not_start(tmp_path):
    text = HELIOS + (
        "1,ua,vc1,8,64,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:01:00,2020-04-01 01:01:00,3600,60\n"
        "2,ub,vc1,0,4,1,COMPLETED,2020-04-01 00:03:00,2020-04-01 00:03:00,2020-04-01 00:04:00,60,0\n"
        "3,ub,vc1,1,4,1,CANCELLED,2020-04-01 00:03:00,None,2020-04-01 00:04:00,0,60\n"
    )
    found = run(tmp_path, {"cluster_log.csv": text}, "time_zone: Asia/Shanghai\n")
    expected = [("1", "ua", 0, 8, 3600, 60, 3660)]
    assert jobs(found, "user", "submit_s", "nodes", "runtime_s", "start_s", "end_s") == expected
    assert fates(found) == {"used": 1, "no_gpu": 1, "never_started": 1}
    assert "Unix time 1585670400." in found["traces"]["note"][0]


def attempt(start, end, *gpus):
    detail = [{"ip": f"m{n}", "gpus": [f"gpu{i}" for i in range(count)]} for n, count in enumerate(gpus)]
    day = "2017-10-07 "
    return {"start_time": start and day + start, "end_time": end and day + end, "detail": detail}


def philly(name, submitted, *attempts):
    return {"status": "Pass", "vc": "v", "jobid": name, "attempts": attempts, "user": "u",
            "submitted_time": f"2017-10-07 {submitted}"}  # fmt: skip


def test_attempts_of_philly_are_taken_together(tmp_path):
    log = [
        philly("a", "01:00:00", attempt("01:00:10", "01:01:10", 2), attempt("01:02:00", "01:04:00", 2, 8)),
        philly("b", "01:00:30"),
        philly("c", "01:01:00", attempt("01:01:00", "01:02:00", 1), attempt("01:03:00", None, 1)),
        philly("d", "01:01:00", attempt(None, None, 1)),
    ]
    found = run(
        tmp_path, {"cluster_job_log": json.dumps(log), "machines.csv": "machineId, number of GPUs, mem\nm1,8, 24GB\n"}
    )
    assert jobs(found, "submit_s", "nodes", "runtime_s", "start_s", "end_s") == [
        ("a", 0, 10, 180, 10, 240), ("c", 60, 1, None, 60, None),
    ]  # fmt: skip
    assert fates(found) == {"used": 2, "never_started": 2}


def test_memory_that_is_needed_goes_by_jobs_and_not_by_lines(tmp_path):
    log = tmp_path / "cluster_job_log"
    log.write_text(
        json.dumps([philly(str(n), "01:00:00", attempt("01:00:10", "01:01:10", 1)) for n in range(100)], indent=2)
    )
    needed = gpu_jobs.memory_bytes(drops.Drop("d", tmp_path), [log])
    assert 100 * HELD_BYTES_A_ROW <= needed <= 400 * HELD_BYTES_A_ROW


def test_what_stands_before_a_cut_of_philly_is_used(tmp_path):
    text = json.dumps([philly("a", "01:00:00", attempt("01:00:10", "01:01:10", 2)), philly("b", "01:00:30")])
    found = run(tmp_path, {"cluster_job_log": text[:-30]})
    assert jobs(found, "nodes") == [("a", 2)]
    assert "unreadable_json" in found["rejected_rows"]["reason"].to_list()


def test_no_memory_of_nodes_is_lent_to_jobs_that_count_gpus():
    job = {"job_id": "1", "submit_s": 0.0, "nodes": 1, "runtime_s": 5.0}
    of = {"gpus": "gpu", "shares": "milligpu", "cores": "core", "samples": None}
    base = {"drop": "d", "status": "read", "kind": "measured", "jobs": 1, "samples": 0, "rejected": 0}
    catalog = {
        "jobs": tables.conform(pl.DataFrame([{"trace_id": name, **job} for name in of]), tables.Job),
        "traces": tables.conform(
            pl.DataFrame([{"trace_id": t, "unit": u, **base} for t, u in of.items()]), tables.Trace
        ),
    }
    assert workload._traces_with_jobs(catalog) == ["cores", "samples"]


def test_machines_without_a_number_of_gpus_are_rejected(tmp_path):
    machines = "sn,cpu_milli,memory_mib,gpu,model\nn1,96000,786432,8,V100M32\nn2,96000,786432,many,P100\nn3,1,1,,\n"
    found = run(tmp_path, {"nodes.csv": machines, "pods.csv": PODS + pod("a", 8, 1000, 100, 110, 210)})
    assert found["rejected_rows"].select("file", "row", "reason", "detail").rows() == [
        ("nodes.csv", 3, "gpus_unreadable", "gpu = many is no number of GPUs, 0 to 1000"),
        ("nodes.csv", 4, "gpus_unreadable", "gpu =  is no number of GPUs, 0 to 1000"),
    ]
    assert trace(found)[1] == 8
