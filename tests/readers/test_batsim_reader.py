"""Batsim's workloads and tables of results: run times of profiles, limits, and what becomes of every job."""

import json

import polars as pl
import pytest

from pipeline.readers import batsim
from pipeline.stages import ingest

HEADER = (
    "job_id,workload_name,submission_time,requested_number_of_resources,requested_time,success,final_state,"
    "starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources\n"
)
PROFILES = {
    "short": {"type": "delay", "delay": 100},
    "twice": {"type": "composed", "repeat": 2, "seq": ["short", "short", "short"]},
    "work": {"type": "parallel_homogeneous", "cpu": 1e9, "com": 0},
    "mixed": {"type": "composed", "seq": ["short", "work"]},
    "round": {"type": "composed", "seq": ["round"]},
}


def run(folder, name, content, trace_yaml="{}"):
    drop = folder / "demo"
    drop.mkdir(parents=True)
    (drop / name).write_text(content if isinstance(content, str) else json.dumps(content))
    (drop / "trace.yaml").write_text(trace_yaml)
    summary = ingest.ingest(drop, folder / "out")
    return summary, {path.stem: pl.read_parquet(path) for path in (folder / "out").glob("*.parquet")}


def workload(*jobs, **more):
    told = [{"id": str(n), "subtime": 10 * n, "res": 2, "profile": "short"} | job for n, job in enumerate(jobs)]
    return {"nb_res": 8, "jobs": told, "profiles": PROFILES} | more


def fates(tables):
    return {row["reason"]: row["rows"] for row in tables["tallies"].iter_rows(named=True) if row["reason"]}


def test_a_job_runs_as_long_as_its_profile_or_its_limit(tmp_path):
    content = workload(
        {}, {"profile": "twice", "walltime": 1000}, {"profile": "twice", "walltime": 250}, {"walltime": -1}
    )
    summary, tables = run(tmp_path, "w.json", content)
    assert (summary.format, summary.code) == ("batsim", 0)
    assert tables["jobs"].select("job_id", "submit_s", "nodes", "runtime_s", "walltime_s").rows() == [
        ("0", 0.0, 2, 100.0, None), ("1", 10.0, 2, 600.0, 1000.0), ("2", 20.0, 2, 250.0, 250.0),
        ("3", 30.0, 2, 100.0, None),
    ]  # fmt: skip
    assert tables["traces"].select("nodes", "nodes_origin").rows() == [(8, "header")]


def test_every_job_of_a_workload_has_a_fate(tmp_path):
    jobs = [
        {}, {"profile": "work"}, {"profile": "mixed"}, {"profile": "round"}, {"profile": "absent"}, {"profile": [1]},
        {"subtime": "soon"}, {"res": 1.5}, {"id": None}, {"res": 0}, {"subtime": float("nan")}, {"res": True},
    ]  # fmt: skip
    summary, tables = run(tmp_path, "w.json", workload(*jobs))
    assert tables["jobs"]["job_id"].to_list() == ["0"]
    assert fates(tables) == {
        "run_time_unknown": 3, "profile_unknown": 2, "submit_s_unreadable": 2, "nodes_unreadable": 2,
        "nodes_too_small": 1, "job_id_missing": 1,
    }  # fmt: skip
    assert (summary.code, tables["provenance"]["rows"].sum()) == (1, len(jobs))


@pytest.mark.parametrize(
    ("content", "reason", "sentence"),
    [
        (workload({"profile": "work"}), "no_jobs", "run Batsim and drop its jobs.csv"),
        ({"nb_res": 4, "jobs": []}, "unreadable_json", "an object `profiles`; one is missing"),
        (json.dumps(workload({}))[:-5], "unreadable_json", "it may be cut"),
        ('{"nb_res": 4, "jobs": ' + "[" * 100_000, "unreadable_json", "is not JSON"),
    ],
)
def test_a_workload_that_cannot_be_read_is_refused_with_a_sentence(tmp_path, content, reason, sentence):
    summary, tables = run(tmp_path, "w.json", content)
    assert summary.code == 2
    assert tables["rejected_rows"]["reason"].to_list() == [reason]
    assert sentence in tables["rejected_rows"]["detail"][0]


def test_a_workload_has_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(batsim, "MOST_BYTES", 1000)
    _, tables = run(tmp_path, "w.json", json.dumps(workload({})) + " " * 1000)
    assert tables["rejected_rows"]["reason"].to_list() == ["document_too_large"]
    assert "64 MiB" in tables["rejected_rows"]["detail"][0]


@pytest.mark.parametrize("name", ["jobs.csv", "out_jobs.csv"])
def test_results_are_read_by_their_header(tmp_path, name):
    rows = [
        "1,w,0.5,4,7200.0,1,COMPLETED_SUCCESSFULLY,2.0,10.0,12.0,1.5,11.5,1.1,0-3",
        "2,w,1.0,2,-1.0,0,COMPLETED_KILLED,3.0,5.0,8.0,2.0,7.0,1.4,4-5",
        "3,w,2.0,99,7200.0,0,REJECTED,-1.0,-1.0,-1.0,-1.0,-1.0,-1.0,",
        "4,w,2.0,1,7200.0,1,COMPLETED_SUCCESSFULLY,soon,5.0,8.0,2.0,7.0,1.4,6-6",
    ]
    summary, tables = run(tmp_path, name, HEADER + "\n".join(rows) + "\n")
    assert summary.format == "batsim"
    columns = ("job_id", "submit_s", "nodes", "start_s", "runtime_s", "walltime_s")
    assert tables["jobs"].select(columns).rows() == [
        ("w/1", 0.5, 4, 2.0, 10.0, 7200.0), ("w/2", 1.0, 2, 3.0, 5.0, None),
    ]  # fmt: skip
    assert fates(tables) == {"never_started": 1, "start_s_unreadable": 1}
    assert tables["provenance"]["rows"].sum() == 4


def test_columns_that_trace_yaml_maps_go_before(tmp_path):
    mapping = "columns: {job_id: job_id, submit_s: starting_time, nodes: success, runtime_s: execution_time}\n"
    row = "1,w,0.5,4,7200.0,1,COMPLETED_SUCCESSFULLY,2.0,10.0,12.0,1.5,11.5,1.1,0-3\n"
    summary, tables = run(tmp_path, "jobs.csv", HEADER + row, mapping)
    assert (summary.format, tables["jobs"]["nodes"].to_list()) == ("jobs", [1])


def test_files_met_in_the_field(trace_data, tmp_path):
    field = trace_data / "field"
    _, tables = run(tmp_path / "a", "w.json", (field / "batsim_workload.json").read_text())
    assert tables["jobs"].select("nodes", "runtime_s", "walltime_s").unique().rows() == [(4, 1200.0, 3600.0)]
    assert (tables["jobs"].height, tables["traces"]["nodes"][0]) == (20, 32)
    source = pl.read_csv(field / "batsim_jobs.csv")
    _, tables = run(tmp_path / "b", "batsim_jobs.csv", (field / "batsim_jobs.csv").read_text())
    names = ["requested_number_of_resources", "starting_time", "execution_time"]
    assert tables["jobs"].select("nodes", "start_s", "runtime_s").rows() == source.select(names).rows()
