"""Accounting of PBS and Torque: which records are jobs, exec_host, sizes, and what becomes of every line."""

import gzip

import polars as pl
import pytest

from pipeline.stages import ingest

GIB = 1024**3 / 1e9
BASE = 1_709_283_600


def record(number="1.s", kind="E", stamp="03/01/2024 11:00:00", **values):
    given = {
        "user": "ada", "jobname": "cfd", "queue": "work", "ctime": BASE, "qtime": BASE + 7, "start": BASE + 60,
        "exec_host": "n1/0*4", "Resource_List.walltime": "02:00:00", "end": BASE + 3660,
    } | {name.replace("__", "."): value for name, value in values.items()}  # fmt: skip
    return f"{stamp};{kind};{number};" + " ".join(f"{key}={v}" for key, v in given.items() if v is not None)


def run(folder, lines, trace_yaml="share: nodes", name="20240301"):
    drop = folder / "demo"
    drop.mkdir(parents=True, exist_ok=True)
    content = lines if isinstance(lines, bytes) else "".join(f"{line}\n" for line in lines).encode()
    (drop / name).write_bytes(content)
    (drop / "trace.yaml").write_text(trace_yaml)
    summary = ingest.ingest(drop, folder / "out")
    written = {path.stem: pl.read_parquet(path) for path in (folder / "out").glob("*.parquet")}
    return summary, written


def only_job(folder, **values):
    _, result = run(folder, [record(**values)])
    return result["jobs"].row(0, named=True)


def fates(tables):
    rows = tables["tallies"].select("fate", "reason", "rows").rows()
    return {reason or fate: count for fate, reason, count in rows}


def test_an_e_record_becomes_a_job(tmp_path):
    lines = [
        record("1.s", "Q"),
        record("1.s", "S"),
        record(
            "1.s",
            exec_host="n1/0*16+n2/0*16",
            Resource_List__mem="64gb",
            resources_used__mem="20971520kb",
            account='"a b"',
        ),
    ]
    summary, result = run(tmp_path, lines, "nodes: 4")
    assert summary.format == "pbs"
    assert result["jobs"].rows(named=True) == [
        {
            "trace": "demo", "job_id": "1.s", "submit_s": 0.0, "nodes": 2, "walltime_s": 7200.0,
            "runtime_s": 3600.0, "requested_memory_gb": pytest.approx(32 * GIB),
            "used_memory_gb": pytest.approx(10 * GIB), "user": "ada", "name": "cfd", "partition": "work",
            "start_s": 60.0, "end_s": 3660.0, "position": 0, "sensitivity": None,
        }
    ]  # fmt: skip
    assert fates(result) == {"used": 1, "other_record": 2}


@pytest.mark.parametrize("name", ["20240301", "accounting.log", "pbs.txt", "20240301.gz", "noon.txt.gz"])
def test_files_are_known_by_their_first_record(tmp_path, name):
    content = f"{record()}\n".encode()
    summary, result = run(tmp_path, gzip.compress(content) if name.endswith(".gz") else content, name=name)
    assert (summary.format, summary.code, result["jobs"].height) == ("pbs", 0, 1)


@pytest.mark.parametrize(
    ("hosts", "nodes", "cpus"),
    [
        ("n1/0*16+n2/0*16", 2, 32),
        ("n1/0+n1/1+n1/2", 1, 3),
        ("n1/0-15+n2/4", 2, 17),
        ("n1/0,2-5", 1, 5),
        ("n1/0*2+n1/1*3", 1, 5),
    ],
)
def test_nodes_and_processors_of_exec_host(tmp_path, hosts, nodes, cpus):
    _, whole = run(tmp_path / "nodes", [record(exec_host=hosts)])
    _, cores = run(tmp_path / "cores", [record(exec_host=hosts)], "share: cores")
    assert whole["jobs"]["nodes"].to_list() == [nodes]
    assert cores["jobs"]["nodes"].to_list() == [cpus]


def test_jobs_that_share_a_node_are_counted_in_cores(tmp_path):
    lines = [
        record("1.s", exec_host="n1/0*4", resources_used__mem="8gb"),
        record("2.s", exec_host="n1/1*12", resources_used__mem="12gb"),
        record("3.s", exec_host="n2/0*2", Resource_List__place="scatter:excl", resources_used__mem="24gb"),
    ]
    _, result = run(tmp_path, lines, "cpus_per_node: 16")
    trace = result["traces"].row(0, named=True)
    assert (trace["unit"], trace["nodes"], trace["nodes_origin"]) == ("core", 32, "node_lists")
    # The exclusive job has its node whole.
    assert result["jobs"]["nodes"].to_list() == [4, 12, 16]
    assert result["jobs"]["used_memory_gb"].to_list() == pytest.approx([2 * GIB, 1 * GIB, 1.5 * GIB])


@pytest.mark.parametrize(
    ("text", "gb"),
    [
        ("1048576kb", GIB), ("1024mb", GIB), ("1gb", GIB), ("1GB", GIB), ("1073741824b", GIB), ("1073741824", GIB),
        ("131072kw", GIB), ("128mw", GIB), ("0kb", None),
    ],
)  # fmt: skip
def test_sizes(tmp_path, text, gb):
    assert only_job(tmp_path, resources_used__mem=text)["used_memory_gb"] == (gb and pytest.approx(gb))


@pytest.mark.parametrize(
    ("text", "limit"), [("120:00:00", 432000.0), ("20:00", 1200.0), ("3600", 3600.0), (None, None)]
)
def test_limits(tmp_path, text, limit):
    assert only_job(tmp_path, Resource_List__walltime=text)["walltime_s"] == limit


def test_without_exec_host_the_nodes_asked_for_count(tmp_path):
    assert only_job(tmp_path, exec_host=None, Resource_List__nodect=3)["nodes"] == 3


def test_submission_is_ctime_and_only_else_qtime(tmp_path):
    lines = [record("1.s"), record("2.s", ctime=None)]
    _, result = run(tmp_path, lines)
    assert result["jobs"]["submit_s"].to_list() == [0.0, 7.0]


def test_without_an_end_the_local_time_of_the_record_is_it(tmp_path):
    lines = [record(end=None, stamp="03/01/2024 10:30:00")]
    _, result = run(tmp_path, lines, "time_zone: Europe/Rome")
    # 10:30 in Rome is 9:30 UTC; BASE is 9:00 UTC.
    assert result["jobs"]["end_s"].to_list() == [1800.0]


def test_the_last_run_of_a_job_counts_across_files(tmp_path):
    run(tmp_path, [record("1.s"), record("1.s", "R")])
    _, result = run(tmp_path, [record("1.s", start=BASE + 9000, end=BASE + 9600)], name="20240302")
    assert result["jobs"]["start_s"].to_list() == [9000.0]
    assert fates(result) == {"used": 1, "requeued": 1, "rerun": 1}


def test_every_line_has_a_fate(tmp_path):
    lines = [
        record("1.s"),
        record("2[1].s"),
        record("2[].s", exec_host=None),
        record("3.s", "D"),
        record("4.s", "A"),
        record("5.s", start=0),
        "no record",
        "03/01/2024 11:00:00;E",
        record("6.s", start=BASE - 5),
        record("7.s", ctime=0, qtime=0),
        record("8.s", start="soon"),
        record("9.s", end=BASE + 50),
        record("10.s", exec_host=None),
        record("11.s", Resource_List__mem="much"),
    ]
    summary, result = run(tmp_path, lines)
    assert fates(result) == {
        "used": 3, "array_as_whole": 1, "deleted": 1, "aborted": 1, "never_started": 1, "malformed_line": 2,
        "start_before_submit": 1, "outside_span": 1, "start_s_unreadable": 1, "end_before_start": 1,
        "nodes_missing": 1, "requested_memory_gb_unreadable": 1,
    }  # fmt: skip
    assert result["provenance"].filter(pl.col("file") == "20240301")["rows"].to_list() == [len(lines)]
    rejected = result["rejected_rows"].sort("row").select("file", "row", "reason").rows()
    assert rejected[0] == ("20240301", 7, "malformed_line")
    assert summary.code == 1


def test_jobs_submitted_together_queue_by_their_numbers_not_by_their_ends(tmp_path):
    ends = {"10.s": 100, "9.s": 200, "8[10].s": 300, "8[9].s": 400}
    _, result = run(tmp_path, [record(number, end=BASE + 60 + s) for number, s in ends.items()])
    assert result["jobs"].sort("position")["job_id"].to_list() == ["8[9].s", "8[10].s", "9.s", "10.s"]


def test_records_of_no_job_that_ended_say_so(tmp_path):
    summary, result = run(tmp_path, [record("1.s", "Q"), record("1.s", "S")])
    assert summary.code == 2
    assert result["rejected_rows"].select("reason", "row").rows() == [("no_jobs", None)]


def test_a_name_in_quotes_may_hold_what_looks_like_a_key(tmp_path):
    assert only_job(tmp_path, jobname='"a start=5 b"')["name"] == "a start=5 b"


def test_a_cut_off_file_is_used_up_to_the_cut(tmp_path):
    content = "".join(f"{record(f'{n}.s')}\n" for n in range(3000)).encode()
    whole = gzip.compress(content)
    _, result = run(tmp_path, whole[: len(whole) // 2], name="20240301.gz")
    assert 0 < result["jobs"].height < 3000
    assert result["rejected_rows"]["reason"].to_list() == ["truncated_gzip"]
