"""Slurm's accounting as JSON and as the table of its database: the same jobs as from lines of sacct."""

import gzip
import json

import polars as pl
import pytest

from pipeline.stages import ingest

LINES = """\
JobID|JobName|User|Partition|Submit|Start|End|ElapsedRaw|NNodes|NCPUS|NTasks|TimelimitRaw|ReqMem|MaxRSS|State|NodeList
100|cfd|ada|work|1704700000|1704700060|1704703060|3000|2|16||60|16384Mn||COMPLETED|n[1-2]
100.batch|batch|||1704700060|1704700060|1704703060|3000|1||1|||4096M|COMPLETED|
100.0|solve|||1704700060|1704700070|1704703060|2990|2||8|||2048M|COMPLETED|
90_3|sweep|bob|work|1704700100|1704700200|1704700300|100|1|4||UNLIMITED|2000Mc||FAILED|n3
70+1|het|bob|work|1704700150|1704700400|1704700500|100|1|4||30|||TIMEOUT|n4
103|wait|bob|work|1704700160||||1|4||30|||PENDING|None assigned
"""
GIB = 1024**3 / 1e9


def wrapped(number):
    return {"set": number is not None, "infinite": number == "inf", "number": number if number != "inf" else 0}


def plain(number):
    return number


def job(number, name, user, submit, start, end, nodes, node_list, cpus, limit, state, wrap, **more):
    return {
        "job_id": number, "name": name, "allocation_nodes": nodes, "nodes": node_list, "partition": "work",
        "association": {"user": user, "cluster": "c"}, "state": state, "steps": [],
        "array": {"job_id": 0, "task_id": wrap(None), "task": ""}, "het": {"job_id": 0, "job_offset": wrap(None)},
        "time": {"submission": submit, "start": start, "end": end, "elapsed": end - start, "limit": wrap(limit)},
        "tres": {"allocated": [{"type": "mem", "count": 1}, {"type": "cpu", "count": cpus}], "requested": []},
    } | more  # fmt: skip


def step(identity, start, end, nodes, tasks, bytes_used, wrap):
    return {
        "step": {"id": identity, "name": "s"}, "state": ["COMPLETED"], "nodes": {"count": nodes},
        "tasks": {"count": tasks}, "time": {"start": wrap(start), "end": wrap(end), "elapsed": end - start},
        "tres": {"requested": {"max": [{"type": "cpu", "count": 9}, {"type": "mem", "count": bytes_used}]}},
    }  # fmt: skip


def document(wrap):
    """What LINES say, as a new version of Slurm (numbers wrapped) or an old one (plain) writes it."""
    new = wrap is wrapped
    of_node = {"memory_per_node": wrap(16384), "memory_per_cpu": wrap(None)} if new else {"memory": 16384}
    of_cpu = {"memory_per_cpu": wrap(2000)} if new else {"memory": 2000 + (1 << 63)}
    identity = (lambda name: f"100.{name}") if new else (lambda name: {"job_id": 100, "step_id": name})
    steps = [
        step(identity("batch"), 1704700060, 1704703060, 1, 1, 4 << 30, wrap),
        step(identity("0"), 1704700070, 1704703060, 2, 8, 2 << 30, wrap),
    ]
    state = (lambda name: {"current": [name]}) if new else (lambda name: {"current": name})
    array = {"job_id": 90, "task_id": wrap(3), "task": ""}
    unlimited = "inf" if new else None
    return {
        "meta": {"plugin": {"type": "openapi"}},
        "errors": [],
        "jobs": [
            job(100, "cfd", "ada", 1704700000, 1704700060, 1704703060, 2, "n[1-2]", 16, 60, state("COMPLETED"), wrap,
                steps=steps, required=of_node),
            job(93, "sweep", "bob", 1704700100, 1704700200, 1704700300, 1, "n3", 4, unlimited, state("FAILED"), wrap,
                array=array, required=of_cpu),
            job(71, "het", "bob", 1704700150, 1704700400, 1704700500, 1, "n4", 4, 30, state("TIMEOUT"), wrap,
                het={"job_id": 70, "job_offset": wrap(1)}),
            job(103, "wait", "bob", 1704700160, 0, 0, 1, "None assigned", 4, 30, state("PENDING"), wrap),
        ],
    }  # fmt: skip


def run(folder, name, content, trace_yaml="share: nodes\n"):
    drop = folder / "demo"
    drop.mkdir(parents=True)
    (drop / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    (drop / "trace.yaml").write_text(trace_yaml)
    summary = ingest.ingest(drop, folder / "out")
    return summary, {path.stem: pl.read_parquet(path) for path in (folder / "out").glob("*.parquet")}


@pytest.mark.parametrize("wrap", [wrapped, plain])
@pytest.mark.parametrize("name", ["log.json", "log.json.gz", "log.txt"])
@pytest.mark.parametrize("indent", [None, 1])
def test_json_gives_what_lines_of_sacct_give(tmp_path, wrap, name, indent):
    content = json.dumps(document(wrap), indent=indent).encode()
    summary, found = run(tmp_path / "a", name, gzip.compress(content, mtime=0) if name.endswith("gz") else content)
    _, expected = run(tmp_path / "b", "log.sacct", LINES)
    assert (summary.format, summary.code) == ("sacct", 0)
    assert found["jobs"].drop("trace").equals(expected["jobs"].drop("trace"))
    assert found["jobs"]["job_id"].to_list() == ["100", "90_3", "70+1"]
    assert found["jobs"]["used_memory_gb"][0] == pytest.approx(12 * GIB)
    tallies = [tables["tallies"].select("fate", "reason", "rows") for tables in (found, expected)]
    assert tallies[0].equals(tallies[1])
    # Two lines of steps and a pending job are rows of the file, too.
    assert found["provenance"]["rows"].sum() == 6
    assert not any("read as UTC" in note for note in found["traces"]["note"].drop_nulls())


def test_a_job_without_a_number_or_a_start_is_rejected_alone(tmp_path):
    told = document(wrapped)
    del told["jobs"][1]["job_id"], told["jobs"][1]["array"]
    told["jobs"][2]["time"]["submission"] = "soon"
    _, tables = run(tmp_path, "log.json", json.dumps(told))
    assert tables["jobs"]["job_id"].to_list() == ["100"]
    assert tables["rejected_rows"]["reason"].to_list() == ["submit_s_unreadable", "job_id_missing"]
    assert tables["provenance"]["rows"].sum() == 6


@pytest.mark.parametrize("at", [0.5, 0.97])
def test_what_stands_before_a_cut_is_read(tmp_path, at):
    content = json.dumps(document(wrapped))
    summary, tables = run(tmp_path, "log.json", content[: int(len(content) * at)])
    assert summary.code == 1
    assert "100" in tables["jobs"]["job_id"].to_list()
    assert tables["rejected_rows"]["reason"].to_list() == ["unreadable_json"]
    assert "get it anew" in tables["rejected_rows"]["detail"][0]


def test_a_document_without_jobs_is_refused(tmp_path):
    summary, tables = run(tmp_path, "log.json", '{"jobs": [], "association": 1}')
    assert (summary.code, tables["rejected_rows"]["reason"].to_list()) == (2, ["file_empty"])


DATABASE = (
    "id_job,id_array_job,id_array_task,id_user,nodes_alloc,nodelist,cpus_req,mem_req,partition,state,timelimit,"
    "time_submit,time_eligible,time_start,time_end\n"
)


def test_the_database_has_memory_of_a_processor_by_a_bit_and_states_by_number(tmp_path):
    of_cpu = (1 << 63) + 4000
    rows = [
        f"7,0,4294967294,u,2,\"['n1', 'n2']\",80,{of_cpu},w,3,120,1609460688,1609460688,1609460910,1609466831",
        "9,8,5,u,1,n3,40,64000,w,6,4294967295,1609460700,1609460700,1609460950,1609460990",
        "10,0,4294967294,u,0,None assigned,40,64000,w,4,60,1609460800,1609460800,0,1609460990",
    ]
    summary, tables = run(tmp_path, "jobs.csv", DATABASE + "\n".join(rows) + "\n")
    assert (summary.format, summary.code) == ("sacct", 0)
    assert tables["jobs"].select("job_id", "nodes", "walltime_s", "runtime_s", "start_s").rows() == [
        ("7", 2, 7200.0, 5921.0, 222.0),
        ("8_5", 1, None, 40.0, 262.0),
    ]
    mib = 1024**2 / 1e9
    assert tables["jobs"]["requested_memory_gb"].to_list() == pytest.approx([160000 * mib, 64000 * mib])
    assert tables["tallies"].filter(reason="never_started")["rows"].to_list() == [1]
    assert tables["traces"]["nodes"].to_list() == [3]


def test_files_met_in_the_field(trace_data, tmp_path):
    field = trace_data / "field"
    _, tables = run(tmp_path / "a", "sacct.json", (field / "sacct.json").read_text())
    jobs = tables["jobs"]
    assert (jobs.height, jobs["nodes"].unique().to_list(), jobs["walltime_s"].unique().to_list()) == (20, [1], [3600.0])
    assert jobs["requested_memory_gb"].unique().to_list() == pytest.approx([16 * GIB])
    _, tables = run(tmp_path / "b", "dump.csv", (field / "slurm_database_dump.csv").read_text())
    jobs = tables["jobs"]
    source = pl.read_csv(field / "slurm_database_dump.csv", schema_overrides={"mem_req": pl.UInt64})
    assert jobs["start_s"].to_list() == (source["time_start"] - source["time_submit"].min()).cast(pl.Float64).to_list()
    assert jobs["walltime_s"].to_list() == (source["timelimit"] * 60.0).to_list()
    # 4000 MiB of each of 40 processors of a node.
    assert jobs["requested_memory_gb"].to_list() == pytest.approx([4000 * 40 * 1024**2 / 1e9] * 60)
