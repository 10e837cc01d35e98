"""Accounting of Grid Engine: records told by their shape, slots as cores, requests, versions, every line's fate."""

import gzip
import json

import polars as pl
import pytest

from pipeline.stages import ingest

GIB = 1024**3 / 1e9
BASE = 1_709_283_600
RUSAGE = "3600:3500.5:10.2:81920:0:0:0:0:12000:0:0:0:0:0:0:0:900:40"


def record(
    number=7, name="cfd", submit=BASE, start=BASE + 60, end=BASE + 3660, failed=0, pe="mpi", slots=16, task=0,
    category="-l h_rt=86400,h_vmem=2G -pe mpi 16", pe_task="NONE", maxvmem="17179869184.0", more=":0:0",
):  # fmt: skip
    return (
        f"all.q:n01:lab:ada:{name}:{number}:sge:0:{submit}:{start}:{end}:{failed}:0:{RUSAGE}:NONE:dept:{pe}:{slots}"
        f":{task}:57600.5:1000.25:0.5:{category}:0.0:{pe_task}:{maxvmem}{more}"
    )


def run(folder, lines, trace_yaml="{}", name="accounting"):
    drop = folder / "demo"
    drop.mkdir(parents=True, exist_ok=True)
    content = lines if isinstance(lines, bytes) else "".join(f"{line}\n" for line in lines).encode()
    (drop / name).write_bytes(content)
    (drop / "trace.yaml").write_text(trace_yaml)
    summary = ingest.ingest(drop, folder / "out")
    return summary, {path.stem: pl.read_parquet(path) for path in (folder / "out").glob("*.parquet")}


def only_job(folder, trace_yaml="{}", **values):
    _, result = run(folder, [record(**values)], trace_yaml)
    return result["jobs"].row(0, named=True)


def test_a_record_becomes_a_job_counted_in_cores(tmp_path):
    summary, result = run(tmp_path, ["# Version: 6.2u5", "#", record()])
    assert (summary.format, summary.code) == ("sge", 0)
    assert result["jobs"].rows(named=True) == [
        {
            "trace": "demo", "job_id": "7", "submit_s": 0.0, "nodes": 16, "walltime_s": 86400.0,
            "runtime_s": 3600.0, "requested_memory_gb": pytest.approx(2 * GIB), "used_memory_gb": pytest.approx(GIB),
            "user": "ada", "name": "cfd", "partition": "all.q", "start_s": 60.0, "end_s": 3660.0, "position": 0,
            "sensitivity": None,
        }
    ]  # fmt: skip
    assert result["traces"].select("unit", "nodes", "nodes_origin").rows() == [("core", 16, "peak")]


def test_with_the_cores_of_a_node_whole_nodes_count_where_jobs_fill_them(tmp_path):
    job = only_job(tmp_path, "cpus_per_node: 12\nshare: nodes\nnodes: 9")
    # 16 slots need two nodes of 12 cores.
    assert job["nodes"] == 2
    assert job["used_memory_gb"] == pytest.approx(8 * GIB)
    assert job["requested_memory_gb"] == pytest.approx(16 * GIB)


@pytest.mark.parametrize("name", ["accounting", "accounting.0", "jan.txt", "a.log.gz", "jan.txt.gz"])
def test_files_are_known_by_their_first_record(tmp_path, name):
    content = f"# Version: 6.2u5\n{record()}\n".encode()
    summary, result = run(tmp_path, gzip.compress(content) if name.endswith(".gz") else content, name=name)
    assert (summary.format, result["jobs"].height) == ("sge", 1)


@pytest.mark.parametrize("name", ["a", "a:b", ":", "x:1:2:3", "a:9:sge:0:5:6", "1:sge:0"])
def test_names_may_hold_colons_and_numbers(tmp_path, name):
    job = only_job(tmp_path, name=name)
    assert (job["name"], job["job_id"], job["nodes"], job["walltime_s"]) == (name, "7", 16, 86400.0)


@pytest.mark.parametrize(
    "more", ["", ":0:0", ":0:0:NONE:NONE:2000000000:2000000000:login1:/home/eve:qsub -pe smp 4 a:b.sh:3600.333"]
)
def test_versions_have_43_and_45_and_more_fields(tmp_path, more):
    job = only_job(tmp_path, more=more)
    assert (job["nodes"], job["used_memory_gb"]) == (16, pytest.approx(GIB))


def test_milliseconds(tmp_path):
    job = only_job(tmp_path, submit=BASE * 1000 + 250, start=BASE * 1000 + 60_500, end=BASE * 1000 + 3_660_750)
    assert (job["submit_s"], job["start_s"], job["runtime_s"]) == (0.0, 60.25, 3600.25)


@pytest.mark.parametrize(
    ("category", "limit", "requested"),
    [
        ("-U lab -l h_rt=3600,h_vmem=1G,s_rt=60", 3600.0, GIB),
        ("-l h_rt=48:00:00", 172800.0, None),
        ("-l h_vmem=4g", None, 4.0),
        ("-l h_vmem=1024M -q all.q", None, GIB),
        ("-l xh_rt=5", None, None),
        ("defaults", None, None),
    ],
)
def test_requests(tmp_path, category, limit, requested):
    job = only_job(tmp_path, category=category)
    assert job["walltime_s"] == limit
    assert job["requested_memory_gb"] == (requested and pytest.approx(requested))


def test_every_line_has_a_fate(tmp_path):
    lines = [
        "# Version: 6.2u5",
        record(),
        record(8, task=3),
        record(8, task=4, failed=25),
        record(9, start=0, end=0, failed=1),
        record(10, pe_task="1.n02"),
        record(11),
        record(11, start=BASE + 7000, end=BASE + 8000),
        record(12, start=BASE - 1),
        record(13, submit=0),
        record(14, end=BASE + 30),
        record(15, slots=0),
        record(16, category="-l h_vmem=lots"),
        "all.q:n01:lab",
        record(17).replace(":sge:0:", ":sge:0:0:"),
        record(18, start="1:2"),
    ]
    _, result = run(tmp_path, lines)
    fates = {reason or fate: n for fate, reason, n in result["tallies"].select("fate", "reason", "rows").rows()}
    assert fates == {
        "used": 4, "rescheduled": 1, "never_started": 1, "pe_task": 1, "requeued": 1, "start_before_submit": 1,
        "outside_span": 1, "end_before_start": 1, "nodes_too_small": 1, "requested_memory_gb_unreadable": 1,
        "malformed_line": 3,
    }  # fmt: skip
    assert result["jobs"]["job_id"].sort().to_list() == ["11", "16", "7", "8.3"]
    assert dict(result["provenance"].select("file", "rows").rows())["accounting"] == len(lines) - 1


def as_json(nested=True, drop=(), **values):
    """The record of `record()` as Open Cluster Scheduler writes it."""
    told = {
        "job_number": 7, "task_number": 0, "start_time": (BASE + 60) * 10**6, "end_time": (BASE + 3660) * 10**6,
        "owner": "ada", "group": "lab", "account": "sge", "qname": "all.q", "hostname": "n01", "slots": 16,
        "job_name": "cfd", "submission_time": BASE * 10**6, "granted_pe": "mpi", "failed": 0, "exit_status": 0,
        "category": "-l h_rt=86400,h_vmem=2G -pe mpi 16",
    } | values  # fmt: skip
    usage = {"wallclock": 3600, "maxvmem": 17179869184, "maxrss": 8589934592}
    told["usage"] = {"rusage": {"ru_maxrss": 1}, "usage": usage} if nested else usage
    return json.dumps({key: value for key, value in told.items() if key not in drop})


@pytest.mark.parametrize("nested", [True, False])
@pytest.mark.parametrize("name", ["accounting.jsonl", "accounting"])
def test_a_record_in_json_is_the_same_job(tmp_path, nested, name):
    summary, found = run(tmp_path / "a", [as_json(nested)], name=name)
    _, expected = run(tmp_path / "b", [record()])
    assert (summary.format, summary.code) == ("sge", 0)
    assert found["jobs"].equals(expected["jobs"])


def test_each_line_of_json_has_a_fate(tmp_path):
    lines = [
        as_json(),
        as_json(job_number=8, task_number=3, submission_time=BASE * 10**6 + 250_000),
        as_json(job_number=9, start_time=0, end_time=0),
        as_json(job_number=10, failed=25),
        as_json(job_number=11, pe_taskid="1.n02"),
        as_json(job_number=12)[:-9],
        as_json(job_number=13, drop=["slots"]),
        '{"job_number": [14], "slots": {}}',
        record(number=15),
    ]
    summary, tables = run(tmp_path, lines)
    assert dict(tables["jobs"].select("job_id", "submit_s").rows()) == {"7": 0.0, "8.3": 0.25, "15": 0.0}
    assert tables["rejected_rows"].select("row", "reason").rows() == [(row, "malformed_line") for row in (6, 7, 8)]
    left_out = tables["tallies"].filter(fate="left_out").select("reason", "rows").rows()
    assert sorted(left_out) == [("never_started", 1), ("pe_task", 1), ("rescheduled", 1)]
    assert (summary.code, tables["provenance"]["rows"].sum()) == (1, 9)


def test_accounting_of_open_cluster_scheduler(trace_data, tmp_path):
    text = (trace_data / "field" / "accounting_jsonl").read_bytes()
    summary, tables = run(tmp_path, text, name="accounting_jsonl")
    records = [json.loads(line) for line in text.splitlines()]
    assert (summary.code, summary.format, tables["jobs"].height) == (0, "sge", len(records))
    lengths = {str(r["job_number"]): (r["end_time"] - r["start_time"]) / 1e6 for r in records}
    assert dict(tables["jobs"].select("job_id", "runtime_s").rows()) == lengths
    assert set(tables["jobs"]["nodes"]) == {16}
