"""Numbers of jobs that are there more than once, and steps side by side, compared with a plain reading of the lines."""

import tempfile
from datetime import datetime, timedelta
from pathlib import Path

import polars as pl
import pytest
import test_sacct_reader as sacct
import test_sge_reader as sge
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.stages import ingest

FIELDS = [*sacct.FIELDS, "Cluster"]
BEGIN = datetime(2024, 1, 8)


def at(minutes):
    return (BEGIN + timedelta(minutes=minutes)).isoformat()


steps = st.tuples(
    st.integers(0, 5), st.integers(0, 5), st.sampled_from(["n1", "n2", "n[1-2]", ""]), st.integers(1, 900)
)
runs = st.fixed_dictionaries(
    {
        "number": st.sampled_from(["7", "8_1", "8_2"]),
        "cluster": st.sampled_from(["alpha", "beta"]),
        "user": st.sampled_from(["ada", "bob"]),
        "state": st.sampled_from(["COMPLETED", "REQUEUED", "NODE_FAIL", "FAILED"]),
        "hours": st.integers(1, 3),
        "steps": st.lists(steps, max_size=4),
    }
)


def lines_of(drawn):
    """Lines of runs one after the other, a day each, and the run of each job that counts, by cluster."""
    lines, jobs, earlier = [], {}, {}
    for day, run in enumerate(drawn):
        begin, end = 1440 * day, 1440 * day + 60 * run["hours"]
        fields = {"Cluster": run["cluster"], "User": run["user"], "State": run["state"], "NodeList": "n[1-2]"}
        times = {"Submit": at(begin), "Start": at(begin), "End": at(end)}
        lines.append(sacct.job(run["number"], NNodes="2", NCPUS="8", **fields, **times))
        for k, (first, lasts, nodes, size) in enumerate(run["steps"]):
            times = {"Start": at(begin + 10 * first), "End": at(begin + 10 * (first + lasts))}
            lines.append(
                sacct.step(f"{run['number']}.{k}", f"{size}M", Cluster=run["cluster"], NodeList=nodes, **times)
            )
        key = run["cluster"], run["number"]
        before = earlier.get(key)
        if before and before["state"] in ("REQUEUED", "NODE_FAIL") and before["user"] == run["user"]:
            jobs[run["cluster"]] = [job for job in jobs[run["cluster"]] if job is not before]
        earlier[key] = run
        jobs.setdefault(run["cluster"], []).append(run)
    return lines, jobs


def most_at_once(drawn):
    """Largest sum of sizes, minute by minute and node by node."""
    spans = [(10 * a, max(10 * (a + lasts), 10 * a + 1), nodes or "n[1-2]", size) for a, lasts, nodes, size in drawn]
    return max(
        (
            sum(size for a, b, nodes, size in spans if a <= minute < b and (node in nodes or "[" in nodes))
            for minute in range(101)
            for node in ("n1", "n2")
        ),
        default=0,
    )


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(runs, min_size=1, max_size=8))
def test_jobs_node_hours_and_memory_are_those_of_a_plain_reading(drawn):
    lines, jobs = lines_of(drawn)
    with tempfile.TemporaryDirectory() as folder:
        _, result = sacct.run(Path(folder), sacct.text(lines, FIELDS))
    read = result["jobs"].sort("trace", "submit_s")
    found = {}
    for trace, runtime_s, nodes, used_gb in read.select("trace", "runtime_s", "nodes", "used_memory_gb").iter_rows():
        found.setdefault(trace.removeprefix("demo/log/"), []).append((runtime_s * nodes, used_gb))
    if len({run["cluster"] for run in drawn}) == 1:
        jobs = {"demo/log": next(iter(jobs.values()))}
    assert found == {
        cluster: [
            (7200.0 * run["hours"], pytest.approx(most_at_once(run["steps"]) * sacct.MIB) if run["steps"] else None)
            for run in of_cluster
        ]
        for cluster, of_cluster in jobs.items()
    }
    assert read.select("trace", "job_id").is_unique().all()
    assert sacct.fates(result) == len(lines)


def test_a_run_that_is_listed_twice_is_one_job(tmp_path):
    """As in two files put together: pending in one, running in the next, ended in the last."""
    times = [
        {"Start": "Unknown", "End": "Unknown", "State": "PENDING"},
        {"Start": at(60), "End": "Unknown", "State": "RUNNING"},
        {"Start": at(60), "End": at(90), "State": "COMPLETED"},
    ]
    _, result = sacct.run(tmp_path, [sacct.job(Submit=at(0), **each) for each in times])
    assert result["jobs"].select("job_id", "runtime_s").rows() == [("1", 1800.0)]


def test_a_number_that_is_used_again_is_another_job_and_a_run_again_is_not(tmp_path):
    year = 365 * 86400
    records = [
        sge.record(number=7, submit=sge.BASE, start=sge.BASE + 60, end=sge.BASE + 100),
        sge.record(number=7, submit=sge.BASE, start=sge.BASE + 200, end=sge.BASE + 300),
        *(sge.record(number=7, submit=sge.BASE + y * year, start=sge.BASE + y * year, end=sge.BASE + y * year + 9)
          for y in (1, 2)),
    ]  # fmt: skip
    _, result = sge.run(tmp_path, records)
    assert result["jobs"].select("job_id", "start_s").rows() == [("7", 200.0), ("7#2", year), ("7#3", 2 * year)]
    assert "2 jobs have the number of an earlier one" in result["traces"]["note"][0]


def test_rows_of_one_id_that_differ_are_jobs(tmp_path):
    drop = tmp_path / "demo"
    drop.mkdir()
    rows = ["5,0,1,10", "5,0,1,20", "5,0,1,10", "6,3,2,5", "6,3,2,5"]
    (drop / "jobs.csv").write_text("\n".join(["job_id,submit_s,nodes,runtime_s", *rows, ""]))
    ingest.ingest(drop, tmp_path / "out")
    jobs = pl.read_parquet(tmp_path / "out" / "jobs.parquet")
    assert jobs.select("job_id", "runtime_s").rows() == [("5", 10.0), ("5#2", 20.0), ("5#3", 10.0), ("6", 5.0)]
    rejected = pl.read_parquet(tmp_path / "out" / "rejected_rows.parquet")
    assert rejected["reason"].to_list() == ["duplicate_job_id"]


@pytest.mark.real
@pytest.mark.parametrize(
    ("name", "traces", "jobs", "memory_gb"),
    [
        ("ids_again_lsf.lsb.acct", 1, 60, None),
        ("ids_again_sge_accounting", 1, 60, None),
        ("two_clusters.psv", 2, 60, None),
        ("concurrent_steps.psv", 1, 20, (311.3, 319.1)),
    ],
)
def test_the_files_of_the_field(trace_data, tmp_path, name, traces, jobs, memory_gb):
    drop = tmp_path / "demo"
    drop.mkdir()
    (drop / name).write_bytes((trace_data / "field" / name).read_bytes())
    ingest.ingest(drop, tmp_path / "out")
    read = pl.read_parquet(tmp_path / "out" / "jobs.parquet")
    assert (read["trace"].n_unique(), read.height) == (traces, jobs)
    assert pl.read_parquet(tmp_path / "out" / "traces.parquet")["status"].to_list() == ["read"] * traces
    if memory_gb:
        assert [round(value, 1) for value in read["used_memory_gb"].sort().gather([0, -1])] == list(memory_gb)


@pytest.mark.real
def test_memory_per_processor_is_told_by_its_flag(trace_data, tmp_path):
    content = (trace_data / "field" / "reqmem_per_cpu_flag.psv").read_text()
    _, result = sacct.run(tmp_path, content)
    assert result["jobs"]["requested_memory_gb"].unique().to_list() == [pytest.approx(3000 * 8 * sacct.MIB)]


@pytest.mark.real
def test_no_job_of_shared_nodes_is_too_large_for_its_cores(trace_data, tmp_path):
    """Mason: 16,221 end records, of which 434 ran for no time."""
    ingest.ingest(trace_data / "hpc" / "mason", tmp_path / "out")
    rejected = pl.read_parquet(tmp_path / "out" / "rejected_rows.parquet")
    assert rejected["reason"].value_counts().rows() == [("runtime_s_not_positive", 434)]
    trace = pl.read_parquet(tmp_path / "out" / "traces.parquet").row(0, named=True)
    assert (trace["jobs"], trace["unit"], trace["cores_per_node"], trace["node_memory_gb"]) == (
        15787,
        "core",
        32,
        512.0,
    )


@pytest.mark.real
def test_tasks_of_arrays_are_jobs(trace_data, tmp_path):
    ingest.ingest(trace_data / "hpc" / "eagle", tmp_path / "out")
    jobs = pl.read_parquet(tmp_path / "out" / "jobs.parquet")
    assert (jobs.height, jobs["job_id"].n_unique()) == (1000, 1000)
