"""Output of sacct: fields in any order, steps and their memory, Slurm's texts, and what becomes of every line."""

import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.readers import _files, _slurm
from pipeline.stages import ingest

FIELDS = [
    "JobID", "JobName", "User", "Partition", "Submit", "Start", "End", "NNodes", "NCPUS", "NTasks", "Timelimit",
    "ReqMem", "MaxRSS", "State", "NodeList",
]  # fmt: skip
GIB, MIB = 1024**3 / 1e9, 1024**2 / 1e9


def job(number="1", **fields):
    row = {
        "JobID": number, "JobName": "train", "User": "ada", "Partition": "batch", "Submit": "2024-03-01T12:00:00",
        "Start": "2024-03-01T12:05:00", "End": "2024-03-01T13:05:00", "NNodes": "1", "NCPUS": "4",
        "Timelimit": "02:00:00", "ReqMem": "8G", "State": "COMPLETED", "NodeList": f"n{number}",
    }  # fmt: skip
    return row | fields


def step(number, rss, tasks="1", nodes="1", **fields):
    times = {"Submit": "2024-03-01T12:05:00", "Start": "2024-03-01T12:05:00", "End": "2024-03-01T13:05:00"}
    return times | {"JobID": number, "MaxRSS": rss, "NTasks": tasks, "NNodes": nodes, "JobName": "step"} | fields


def text(rows, fields=FIELDS, end="\n"):
    return end.join(["|".join(fields), *("|".join(row.get(field, "") for field in fields) for row in rows), ""])


def run(folder, content, trace_yaml=None, name="log.sacct"):
    drop = folder / "demo"
    drop.mkdir(parents=True)
    content = content if isinstance(content, str | bytes) else text(content)
    (drop / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    if trace_yaml:
        (drop / "trace.yaml").write_text(trace_yaml)
    summary = ingest.ingest(drop, folder / "out")
    tables = {path.stem: pl.read_parquet(path) for path in (folder / "out").glob("*.parquet")}
    return summary, tables


def of_only_job(folder, column, *rows, **kw):
    _, result = run(folder, list(rows), **kw)
    assert result["jobs"].height == 1
    return result["jobs"][column][0]


def tallies(tables):
    rows = tables["tallies"].select("fate", "reason", "rows").rows()
    return {reason or fate: count for fate, reason, count in rows}


def fates(tables):
    """Lines that are accounted for; remarks on the values of a job count it a second time."""
    if "tallies" not in tables:
        return 0
    once = (pl.col("fate") != "observed") | (pl.col("reason") == "step")
    return tables["tallies"].filter(once.fill_null(True))["rows"].sum()


def test_a_line_becomes_a_job_with_the_memory_of_its_steps(tmp_path):
    lines = [
        job("7", NNodes="2", NCPUS="16", ReqMem="32G", NodeList="n[1-2]"),
        step("7.batch", "1048576K"),
        step("7.extern", "0", tasks="2", nodes="2"),
        step("7.0", "512M", tasks="8", nodes="2"),
    ]
    summary, result = run(tmp_path, lines, "nodes: 4\ntime_zone: UTC")
    assert result["jobs"].rows(named=True) == [
        {
            "trace": "demo/log",
            "job_id": "7",
            "submit_s": 0.0,
            "nodes": 2,
            "walltime_s": 7200.0,
            "runtime_s": 3600.0,
            "requested_memory_gb": pytest.approx(16 * GIB),
            "used_memory_gb": pytest.approx(GIB + 4 * 512 * MIB),
            "user": "ada",
            "name": "train",
            "partition": "batch",
            "start_s": 300.0,
            "end_s": 3900.0,
            "position": 0,
            "sensitivity": None,
        }
    ]
    assert tallies(result) == {"used": 1, "step": 3}
    assert result["traces"]["nodes"].to_list() == [4]
    assert summary.code == 0
    note = result["traces"]["note"][0]
    assert "largest task of a step, times the tasks a node" in note
    assert "divided by its nodes" in note


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("reverse", [False, True])
def test_order_and_case_of_fields_and_ends_of_lines_do_not_matter(tmp_path, end, reverse):
    lines = [job("1"), step("1.0", "3G"), job("2", Submit="2024-03-01T12:00:10")]
    fields = FIELDS[::-1] if reverse else FIELDS
    content = text(lines, fields, end)
    header, newline, rest = content.partition(end)
    _, result = run(tmp_path / "a", content, name="log.psv")
    _, plain = run(tmp_path / "b", header.lower() + newline + rest)
    _, expected = run(tmp_path / "c", lines)
    assert result["jobs"].equals(expected["jobs"])
    assert plain["jobs"].equals(expected["jobs"])
    assert result["jobs"]["name"].to_list() == ["train", "train"]


def test_output_of_parsable_with_a_bar_at_the_end_is_read_too(tmp_path):
    content = text([job("1"), step("1.0", "3G")]).replace("\n", "|\n")
    _, result = run(tmp_path, content)
    assert result["jobs"]["used_memory_gb"].to_list() == [pytest.approx(3 * GIB)]


@pytest.mark.parametrize(
    ("limit", "seconds"),
    [
        ("1-00:00:00", 86400),
        ("20:00", 1200),
        ("365-12:00:01", 365 * 86400 + 43201),
        ("100:00:00", 360000),
        ("UNLIMITED", None),
        ("Partition_Limit", None),
        ("", None),
    ],
)
def test_time_limits(tmp_path, limit, seconds):
    assert of_only_job(tmp_path, "walltime_s", job(Timelimit=limit)) == seconds


@pytest.mark.parametrize(
    ("requested", "per_node"),
    [
        # Two nodes, 16 processors: up to Slurm 20.11 per processor or node, later the job's total.
        ("4Gc", 4 * 8 * GIB),
        ("4Gn", 4 * GIB),
        ("4000Mc", 4000 * 8 * MIB),
        ("187.50G", 187.5 / 2 * GIB),
        ("4000M", 2000 * MIB),
        ("2T", 1024 * GIB),
        ("8388608K", 4 * GIB),
        ("0", None),
        ("0n", None),
        ("", None),
    ],
)
def test_requested_memory_is_per_node(tmp_path, requested, per_node):
    result = of_only_job(tmp_path, "requested_memory_gb", job(NNodes="2", NCPUS="16", ReqMem=requested))
    assert result == (None if per_node is None else pytest.approx(per_node))


@pytest.mark.parametrize(
    ("steps", "used"),
    [
        ([step("1.0", "1G", tasks="3", nodes="2")], 2 * GIB),
        ([step("1.0", "1G", tasks="", nodes="2")], GIB),
        ([step("1.0", "1G", tasks="4", nodes="")], GIB),
        ([step("1.0", "1G", tasks="2", nodes="4")], GIB),
        ([step("1.batch", "3G"), step("1.0", "1G", tasks="2"), step("1.1", "1G")], 6 * GIB),
        ([step("1.0", "1695744")], 1695744e-9),
        ([step("1.0", "160.5M")], 160.5 * MIB),
        ([step("1.batch", "0"), step("1.extern", "")], None),
        ([], None),
    ],
)
def test_used_memory_is_the_largest_task_times_the_tasks_on_the_fullest_node(tmp_path, steps, used):
    result = of_only_job(tmp_path, "used_memory_gb", job(NNodes="2"), *steps)
    assert result == (None if used is None else pytest.approx(used))


def test_memory_on_the_line_of_the_job_counts_as_it_stands(tmp_path):
    assert of_only_job(tmp_path, "used_memory_gb", job(MaxRSS="2G", NTasks="4")) == pytest.approx(2 * GIB)


def test_without_tasks_the_note_says_that_one_stands_for_the_node(tmp_path):
    fields = [field for field in FIELDS if field != "NTasks"]
    _, result = run(tmp_path, text([job(), step("1.0", "1G")], fields))
    assert result["jobs"]["used_memory_gb"].to_list() == [pytest.approx(GIB)]
    assert "one task a node (NTasks is not there)" in result["traces"]["note"][0]


def test_nodes_may_be_in_units_of_1024_or_in_the_allocated_resources_only(tmp_path):
    assert of_only_job(tmp_path / "a", "nodes", job(NNodes="1.50K")) == 1536
    fields = [*(field for field in FIELDS if field != "NNodes"), "AllocTRES"]
    content = text([job(AllocTRES="billing=8,cpu=8,mem=16G,node=3")], fields)
    assert run(tmp_path / "b", content)[1]["jobs"]["nodes"].to_list() == [3]


def test_arrays_and_heterogeneous_jobs_are_jobs_of_their_own(tmp_path):
    lines = [
        job("123_4"), step("123_4.batch", "1G"),
        job("123_5"), step("123_5.batch", "2G"),
        job("200+0"), step("200+0.batch", "3G"),
        job("200+1"), step("200+1.0", "4G"),
    ]  # fmt: skip
    _, result = run(tmp_path, lines)
    assert dict(result["jobs"].select("job_id", "used_memory_gb").iter_rows()) == {
        "123_4": pytest.approx(GIB),
        "123_5": pytest.approx(2 * GIB),
        "200+0": pytest.approx(3 * GIB),
        "200+1": pytest.approx(4 * GIB),
    }


@pytest.mark.parametrize(
    "fields",
    [
        {"JobID": "123_[5-9]", "State": "PENDING", "Start": "Unknown", "End": "Unknown", "NodeList": "None assigned"},
        {"State": "CANCELLED by 1001", "Start": "None", "End": "2024-03-01T12:01:00"},
        {"State": "CANCELLED by 1001", "Start": "", "End": "2024-03-01T12:01:00"},
        {"State": "CANCELLED", "Start": "2024-03-01T12:01:00", "End": "2024-03-01T12:01:00"},
        {"State": "CANCELLED by 0", "NodeList": "None assigned"},
        {"State": "PENDING", "Start": "2024-03-02T12:00:00", "End": "Unknown"},
    ],
)
def test_jobs_that_never_started_are_left_out_and_counted(tmp_path, fields):
    summary, result = run(tmp_path, [job("1"), job("2", **fields), job("3")])
    assert result["jobs"]["job_id"].to_list() == ["1", "3"]
    assert tallies(result) == {"used": 2, "never_started": 1}
    assert summary.code == 0


def test_jobs_that_were_cancelled_or_failed_after_their_start_are_used(tmp_path):
    states = ["CANCELLED by 1001", "FAILED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY"]
    _, result = run(tmp_path, [job(str(n), State=state) for n, state in enumerate(states)])
    assert result["jobs"].height == len(states)


def test_a_job_that_still_runs_has_no_run_time(tmp_path):
    content = text([job(End="Unknown", State="RUNNING", Elapsed="01:00:00")], [*FIELDS, "Elapsed"])
    _, result = run(tmp_path, content)
    assert result["jobs"].select("start_s", "end_s", "runtime_s").rows() == [(300.0, None, None)]


def test_the_time_elapsed_goes_before_that_from_start_to_end(tmp_path):
    # A suspended job takes longer than it runs.
    _, result = run(tmp_path, text([job(Elapsed="00:30:00")], [*FIELDS, "Elapsed"]))
    assert result["jobs"].select("runtime_s", "end_s").rows() == [(1800.0, 3900.0)]


def test_of_a_requeued_job_the_last_line_counts_with_its_own_steps(tmp_path):
    lines = [
        job("1", State="NODE_FAIL"), step("1.batch", "9G"),
        job("2"), step("2.batch", "1G"),
        job("1", Submit="2024-03-01T14:00:00", Start="2024-03-01T14:10:00", End="2024-03-01T14:20:00"),
        step("1.batch", "2G"), step("1.0", "1G"),
    ]  # fmt: skip
    summary, result = run(tmp_path, lines)
    assert result["jobs"].select("job_id", "submit_s", "runtime_s").rows() == [("2", 0.0, 3600.0), ("1", 7200.0, 600.0)]
    assert result["jobs"]["used_memory_gb"].to_list() == pytest.approx([GIB, 3 * GIB])
    assert tallies(result) == {"used": 2, "requeued": 1, "step": 4}
    assert summary.code == 0


def test_steps_without_their_job_are_counted(tmp_path):
    _, result = run(tmp_path, [step("5.batch", "1G"), step("5.0", "1G"), job("6")])
    assert result["jobs"].select("job_id", "used_memory_gb").rows() == [("6", None)]
    assert tallies(result) == {"used": 1, "step_without_job": 2}


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"Submit": "Unknown"}, "submit_s_missing"),
        ({"Submit": "Ystday 12:00"}, "submit_s_unreadable"),
        ({"Start": "12:05:00"}, "start_s_unreadable"),
        ({"End": "2024-03-01T12:04:59"}, "runtime_s_not_positive"),
        ({"State": "FAILED", "End": "2024-03-01T12:05:00"}, "runtime_s_not_positive"),
        ({"NNodes": "0"}, "nodes_too_small"),
        ({"NNodes": ""}, "nodes_missing"),
        ({"NNodes": "some"}, "nodes_unreadable"),
        ({"NNodes": "1.5"}, "nodes_unreadable"),
        ({"NNodes": "65"}, "larger_than_machine"),
        ({"JobID": ""}, "job_id_missing"),
        ({"JobName": "a|b"}, "malformed_line"),
    ],
)
def test_bad_line_is_rejected_with_its_number_and_the_others_stay(tmp_path, fields, reason):
    bad = job("2", **fields)
    summary, result = run(tmp_path, [job("1"), step("1.0", "1G"), bad, step("2.0", "1G"), job("3")], "nodes: 64")
    assert result["jobs"]["job_id"].to_list() == ["1", "3"]
    assert result["rejected_rows"].select("file", "row", "reason").rows() == [("log.sacct", 4, reason)]
    assert summary.code == 1
    assert result["jobs"]["used_memory_gb"].to_list() == [pytest.approx(GIB), None]


@pytest.mark.parametrize(
    ("fields", "column", "reason"),
    [
        ({"Timelimit": "1-20"}, "walltime_s", "walltime_s_unreadable"),
        ({"Timelimit": "00:00:00"}, "walltime_s", None),
        ({"ReqMem": "16?"}, "requested_memory_gb", "requested_memory_gb_unreadable"),
        ({"MaxRSS": "much"}, "used_memory_gb", "used_memory_gb_unreadable"),
        ({"NCPUS": "-1", "ReqMem": "2Gc"}, "requested_memory_gb", "cpus_unreadable"),
    ],
)
def test_a_job_is_used_without_an_optional_value_that_cannot_be_read(tmp_path, fields, column, reason):
    summary, result = run(tmp_path, [job("1"), job("2", **fields)])
    assert result["jobs"]["job_id"].to_list() == ["1", "2"]
    assert result["jobs"][column][1] is None
    assert tallies(result) == {"used": 2} | ({reason: 1} if reason else {})
    assert summary.code == 0


@pytest.mark.parametrize(
    ("start", "end", "elapsed", "begins_s", "ends_s"),
    [
        # Clocks in Berlin went from 03:00 back to 02:00 on 27 October 2024; times count from 01:00.
        ("02:50:00", "02:10:00", "00:20:00", 6600, 7800),
        ("01:30:00", "02:30:00", "02:00:00", 1800, 9000),
        ("01:30:00", "02:30:00", "01:00:00", 1800, 5400),
        ("02:30:00", "04:00:00", "01:30:00", 9000, 14400),
        ("02:30:00", "04:00:00", "02:30:00", 5400, 14400),
        ("02:50:00", "02:10:00", "", 6600, 7800),
    ],
)
def test_a_job_across_the_hour_that_occurs_twice_is_as_long_as_it_says(tmp_path, start, end, elapsed, begins_s, ends_s):
    day = "2024-10-27T"
    row = job(Submit=f"{day}01:00:00", Start=day + start, End=day + end, Elapsed=elapsed)
    _, result = run(tmp_path, text([row], [*FIELDS, "Elapsed"]), "time_zone: Europe/Berlin")
    assert result["jobs"].select("start_s", "end_s", "runtime_s").rows() == [(begins_s, ends_s, ends_s - begins_s)]


def test_raw_limits_and_run_times_are_read(tmp_path):
    fields = ["JobID", "Submit", "Start", "End", "NNodes", "TimelimitRaw", "ElapsedRaw"]
    rows = [job("1", TimelimitRaw="90", ElapsedRaw="1800"), job("2", TimelimitRaw="UNLIMITED", ElapsedRaw="60")]
    _, result = run(tmp_path, text(rows, fields))
    assert result["jobs"].select("walltime_s", "runtime_s").rows() == [(5400.0, 1800.0), (None, 60.0)]


def shared_jobs(**fields):
    """Two jobs on one node of eight processors at the same time, and one on two nodes."""
    return [
        job("1", NodeList="n1", NCPUS="2", ReqMem="8G", **fields),
        step("1.0", "3G", NCPUS="2"),
        job("2", NodeList="n1", NCPUS="6", ReqMem="2Gc", **fields),
        job("3", NodeList="n[2-3]", NNodes="2", NCPUS="16", ReqMem="16Gn", **fields),
    ]


def test_cores_are_counted_where_jobs_share_a_node(tmp_path):
    _, result = run(tmp_path, shared_jobs())
    assert result["jobs"]["nodes"].to_list() == [2, 6, 16]
    assert result["jobs"]["requested_memory_gb"].to_list() == pytest.approx([4 * GIB, 2 * GIB, 2 * GIB])
    assert result["jobs"]["used_memory_gb"][0] == pytest.approx(1.5 * GIB)
    trace = result["traces"].row(0, named=True)
    # Three nodes are named, of eight processors each: the most that a job got on one.
    assert (trace["unit"], trace["nodes"], trace["nodes_origin"]) == ("core", 24, "node_lists")
    assert "2 jobs (66.7%) were on a node with another job: cores are counted" in trace["note"]


def test_a_stated_machine_of_shared_nodes_is_given_in_cores(tmp_path):
    _, result = run(tmp_path, shared_jobs(), "nodes: 10\ncpus_per_node: 16\nnode_memory_gb: 256")
    trace = result["traces"].row(0, named=True)
    assert (trace["unit"], trace["nodes"], trace["nodes_origin"]) == ("core", 160, "stated")
    assert (trace["cores_per_node"], trace["node_memory_gb"]) == (16, 256.0)
    # A job of one core may use nearly all of its node's memory, but no more than the node has.
    lines = [
        job("1", NodeList="n1", NCPUS="1"), step("1.0", "250G"),
        job("2", NodeList="n1", NCPUS="8"), step("2.0", "300G"),
        job("3", NodeList="n[1-2]", NNodes="2", NCPUS="2"), step("3.0", "200G", tasks="2", nodes="2"),
    ]  # fmt: skip
    _, result = run(tmp_path / "large", lines, "nodes: 10\ncpus_per_node: 16\nnode_memory_gb: 256")
    assert result["jobs"].select("job_id", "used_memory_gb").rows() == [
        ("1", pytest.approx(250 * GIB)),
        ("3", pytest.approx(200 * GIB)),
    ]
    assert result["rejected_rows"]["detail"].to_list() == [
        "used_memory_gb = 322.123, where trace.yaml says that a node has 256.0 GB"
    ]


def test_nodes_are_counted_on_request_and_the_warning_says_who_shares_them(tmp_path):
    _, result = run(tmp_path, shared_jobs(), "share: nodes")
    assert result["jobs"]["nodes"].to_list() == [1, 1, 2]
    trace = result["traces"].row(0, named=True)
    assert (trace["unit"], trace["nodes"], trace["nodes_origin"]) == ("node", 4, "peak")
    assert "2 jobs (66.7%) were on a node with another job" in trace["warnings"]


def test_without_lists_of_nodes_small_jobs_show_that_nodes_are_shared(tmp_path):
    jobs = [job(str(n), NodeList="", NCPUS=cpus) for n, cpus in enumerate(["1", "36", "36", "18"])]
    _, result = run(tmp_path, jobs)
    assert result["traces"]["unit"].to_list() == ["core"]
    assert result["jobs"]["nodes"].to_list() == [1, 36, 36, 18]
    # All four run at once.
    assert result["traces"].select("nodes", "nodes_origin").rows() == [(91, "peak")]


def test_processors_alone_are_nodes_where_those_of_a_node_are_stated(tmp_path):
    fields = ["JobID", "Submit", "Start", "End", "NCPUS"]
    content = text([job("1", NCPUS="36"), job("2", NCPUS="40")], fields)
    _, result = run(tmp_path / "a", content, "cpus_per_node: 36")
    assert result["traces"]["unit"].to_list() == ["node"]
    assert result["jobs"]["nodes"].to_list() == [1, 2]
    _, result = run(tmp_path / "b", content)
    assert result["traces"]["unit"].to_list() == ["core"]
    assert result["jobs"]["nodes"].to_list() == [36, 40]


@pytest.mark.parametrize(
    ("listed", "names"),
    [
        ("n[1-3,07],gpu5", ["n1", "n2", "n3", "n07", "gpu5"]),
        ("r[1-2]n[08-09]", ["r1n08", "r1n09", "r2n08", "r2n09"]),
        ("n[1-2]-ib", ["n1-ib", "n2-ib"]),
        ("n[a-b]", None),
        ("n[1-999999999]", None),
        ("n[1-99999,1-99999]", None),
        ("a[1]" * 1500, None),
        ("[" * 480_000, None),
    ],
)
def test_lists_of_nodes(listed, names):
    assert _slurm.node_names(listed) == names


@pytest.mark.parametrize("name", ["jobs.txt", "jobs.csv", "jobs.log", "slurm.out"])
def test_a_file_of_any_name_is_known_by_its_header(tmp_path, name):
    summary, result = run(tmp_path, text([job("1"), job("2")]), name=name)
    assert (summary.format, summary.code, result["jobs"].height) == ("sacct", 0, 2)
    assert result["traces"]["trace"].to_list() == [f"demo/{name.partition('.')[0]}"]


def test_a_stated_format_reads_a_file_of_any_name(tmp_path):
    summary, _ = run(tmp_path, text([job("1")]).replace("JobID", "JobIDRaw"), "format: sacct", name="january.dump")
    assert summary.traces["trace"].to_list() == ["demo/january"]
    assert summary.code == 0


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_separators_are_told_by_the_header(tmp_path, separator):
    _, result = run(tmp_path, text([job("1"), job("2")]).replace("|", separator), name="export.csv")
    assert result["jobs"]["job_id"].to_list() == ["1", "2"]


@pytest.mark.parametrize("name", ["log.sacct", "log.txt"])
def test_output_without_its_header_is_refused_with_a_sentence_that_says_so(tmp_path, name):
    _, result = run(tmp_path, text([job("1"), job("2", User="", State="")]).partition("\n")[2], name=name)
    assert result["rejected_rows"]["reason"].to_list() == ["header_missing"]
    assert "without --noheader" in result["rejected_rows"]["detail"][0]


def test_a_real_log_of_shared_nodes_is_counted_in_cores(trace_data):
    log = trace_data / "validation" / "cirrus_2024q1_sacct.csv.gz"
    with tempfile.TemporaryDirectory() as folder:
        drop = Path(folder) / "cirrus"
        drop.mkdir()
        (drop / "jobs.csv.gz").write_bytes(log.read_bytes())
        ingest.ingest(drop, Path(folder) / "out")
        trace = pl.read_parquet(Path(folder) / "out" / "traces.parquet").row(0, named=True)
        jobs = pl.read_parquet(Path(folder) / "out" / "jobs.parquet")
    raw = pl.read_csv(log, infer_schema_length=None, null_values=["None"])
    assert trace["unit"] == "core"
    ran = raw.drop_nulls("Start").unique("JobID", keep="last").filter(pl.col("Start") != pl.col("End"))
    assert jobs.height == ran.height
    assert jobs["nodes"].sum() == ran["NCPUS"].sum()
    # Cores busy at each start, counted job by job.
    start, end, cores = (ran[name].cast(pl.Int64).to_numpy() for name in ("Start", "End", "NCPUS"))
    assert trace["nodes"] == max(int(cores[(start <= t) & (t < end)].sum()) for t in start)
    assert trace["nodes_origin"] == "peak"


def test_a_bad_step_is_rejected_and_its_job_stays(tmp_path):
    _, result = run(tmp_path, [job("1"), step("1.0", "2G"), step("1.1", "lots"), step("1.2", "1G")])
    assert result["jobs"]["used_memory_gb"].to_list() == [pytest.approx(3 * GIB)]
    rejected = result["rejected_rows"]
    assert rejected.select("row", "reason").rows() == [(4, "used_memory_gb_unreadable")]
    assert "MaxRSS = lots is not a size" in rejected["detail"][0]


def test_quotes_in_a_job_name_mean_nothing(tmp_path):
    assert of_only_job(tmp_path, "name", job(JobName='"half, and')) == '"half, and'


def test_local_times_are_read_in_the_stated_zone(tmp_path):
    # Clocks in Berlin went from 02:00 to 03:00 on 31 March 2024: two hours on the wall are one.
    times = {"Submit": "2024-03-31T01:00:00", "Start": "2024-03-31T01:30:00", "End": "2024-03-31T03:30:00"}
    _, result = run(tmp_path / "a", [job(**times)], "time_zone: Europe/Berlin")
    assert result["jobs"]["runtime_s"].to_list() == [3600.0]
    assert "read as UTC" not in result["traces"]["note"][0]
    _, result = run(tmp_path / "b", [job(**times)])
    assert result["jobs"]["runtime_s"].to_list() == [7200.0]
    assert "state time_zone in trace.yaml" in result["traces"]["note"][0]


def test_times_as_seconds_since_1970_are_taken(tmp_path):
    times = {"Submit": "1709294400", "Start": "1709294460", "End": "1709294520"}
    _, result = run(tmp_path, [job(**times)])
    assert result["jobs"].select("submit_s", "start_s", "end_s").rows() == [(0.0, 60.0, 120.0)]


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        ([f for f in FIELDS if f != "Submit"], "no field Submit"),
        (["JobId", "Submit", "Start", "Ende", "NNodes"], "no field End; did you mean 'Ende'"),
        (["JobID", "Submit", "Start", "End"], "no field NNodes or AllocNodes or AllocTRES"),
    ],
)
def test_missing_fields_are_refused_with_the_command_that_writes_them(tmp_path, fields, part):
    summary, result = run(tmp_path, text([job()], fields))
    assert result["rejected_rows"].select("file", "row", "reason").rows() == [("log.sacct", 1, "columns_missing")]
    assert part in result["rejected_rows"]["detail"][0]
    assert summary.code == 2


def test_fewest_fields_are_enough(tmp_path):
    _, result = run(
        tmp_path, text([job()], ["JobID", "Submit", "Start", "End", "AllocTRES"]).replace("05:00|\n", "05:00|node=1\n")
    )
    assert result["jobs"].select("nodes", "runtime_s", "walltime_s", "user").rows() == [(1, 3600.0, None, None)]


def test_a_line_that_is_cut_off_is_rejected_and_those_before_it_are_kept(tmp_path):
    content = text([job("1"), step("1.0", "1G"), job("2"), job("3")])
    _, result = run(tmp_path, content[: len(content) - 40])
    assert result["jobs"]["job_id"].to_list() == ["1", "2"]
    assert result["rejected_rows"].select("row", "reason").rows() == [(5, "malformed_line")]


@pytest.mark.parametrize("content", ["", text([]), "\n"])
def test_a_file_without_lines_fails_alone(tmp_path, content):
    drop = tmp_path / "demo"
    drop.mkdir()
    (drop / "good.sacct").write_text(text([job()]))
    (drop / "void.psv").write_text(content)
    assert ingest.ingest(drop, tmp_path / "out").code == 1
    traces = pl.read_parquet(tmp_path / "out" / "traces.parquet")
    assert traces.select("trace", "status").rows() == [("demo/good", "read"), ("demo/void", "refused")]


def test_two_files_of_one_name_are_refused(tmp_path):
    drop = tmp_path / "demo"
    drop.mkdir()
    for name in ("log.sacct", "log.psv"):
        (drop / name).write_text(text([job()]))
    ingest.ingest(drop, tmp_path / "out")
    rejected = pl.read_parquet(tmp_path / "out" / "rejected_rows.parquet")
    assert rejected["reason"].to_list() == ["trace_duplicate"]


def many_lines(count):
    """Jobs with two steps each, every third one requeued once."""
    lines = []
    for n in range(count):
        runs = 2 if n % 3 == 0 else 1
        for attempt in range(runs):
            day = f"2024-03-{attempt + 1:02}T"
            times = {"Submit": f"{day}00:{n % 60:02}:00", "Start": f"{day}12:05:00", "End": f"{day}13:05:00"}
            state = "REQUEUED" if attempt + 1 < runs else "COMPLETED"
            lines += [
                job(str(n), **times, State=state),
                step(f"{n}.batch", f"{n + 1}M"),
                step(f"{n}.0", f"{2 * n + attempt + 1}M"),
            ]
    return lines


@pytest.mark.slow
def test_the_size_of_blocks_leaves_no_trace(tmp_path, monkeypatch):
    lines = many_lines(60)
    _, whole = run(tmp_path / "whole", lines)
    monkeypatch.setattr(_files, "BLOCK_BYTES", 300)
    _, parts = run(tmp_path / "parts", lines)
    for name in ("jobs", "tallies", "traces", "rejected_rows"):
        assert parts[name].equals(whole[name])
    by_job = dict(whole["jobs"].select("job_id", "used_memory_gb").iter_rows())
    assert by_job == {str(n): pytest.approx((3 * n + (n % 3 == 0) + 2) * MIB) for n in range(60)}
    assert tallies(whole) == {"used": 60, "requeued": 20, "step": 160}


ids = st.sampled_from(["1", "2", "3_[1-4]", "4+0", "", "x"])
cells = {
    "JobID": st.one_of(ids, st.builds(lambda a, b: f"{a}.{b}", ids, st.sampled_from(["batch", "extern", "0", ""]))),
    "Start": st.sampled_from(["2024-03-01T12:05:00", "Unknown", "None", "", "soon", "5"]),
    "End": st.sampled_from(["2024-03-01T12:05:00", "2024-03-01T13:05:00", "Unknown", "9" * 30]),
    "NNodes": st.sampled_from(["1", "2K", "0", "", "-1", "999999999999999999P"]),
    "NTasks": st.sampled_from(["", "1", "8", "x"]),
    "ReqMem": st.sampled_from(["4Gc", "0n", "16G", "c", "", "9" * 18 + "Pc"]),
    "MaxRSS": st.sampled_from(["", "0", "1G", "K", "1.5M"]),
    "Timelimit": st.sampled_from(["UNLIMITED", "20:00", "", "1:2:3:4", "9999999-00:00:00"]),
    "State": st.sampled_from(["COMPLETED", "CANCELLED by 1", "PENDING", ""]),
}


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(st.lists(st.fixed_dictionaries(cells), min_size=1, max_size=12))
def test_every_line_has_one_fate(rows):
    with tempfile.TemporaryDirectory() as folder:
        _, result = run(Path(folder), [job() | row for row in rows])
    counted = fates(result)
    assert counted == len(rows)
    assert result["rejected_rows"]["row"].n_unique() == result["rejected_rows"].height


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300))
def test_arbitrary_bytes_never_crash(content):
    header = ("|".join(FIELDS) + "\n").encode()
    with tempfile.TemporaryDirectory() as folder:
        _, result = run(Path(folder), header + content)
    assert set(result["traces"]["trace"]) <= {"demo/log", "demo"}
    lines = [line for line in content.replace(b"\r\n", b"\n").split(b"\n") if line]
    counted = fates(result)
    assert counted == len(lines)


def test_every_line_below_the_header_is_counted_as_read(tmp_path):
    drop = tmp_path / "demo"
    drop.mkdir()
    lines = [
        "JobID|Submit|Start|End|NNodes|MaxRSS",
        "1|2024-01-01T00:00:00|2024-01-01T00:01:00|2024-01-01T00:10:00|2|",
        "1.batch|2024-01-01T00:01:00|2024-01-01T00:01:00|2024-01-01T00:10:00|1|5G",
        "2|2024-01-01T00:00:00|Unknown|Unknown|2|",
        "3.0|2024-01-01T00:01:00|2024-01-01T00:01:00|2024-01-01T00:10:00|1|5G",
        "4|yesterday|2024-01-01T00:01:00|2024-01-01T00:10:00|2|",
    ]
    (drop / "log.sacct").write_text("\n".join(lines) + "\n")
    ingest.ingest(drop, tmp_path / "out")
    assert pl.read_parquet(tmp_path / "out" / "provenance.parquet")["rows"].to_list() == [len(lines) - 1]


def test_dates_of_another_order_name_the_variable_that_made_them(tmp_path):
    _, result = run(tmp_path, [job(), job("2", Submit="01/03/2024 12:00:00")])
    assert result["jobs"]["job_id"].to_list() == ["1"]
    detail = result["rejected_rows"]["detail"][0]
    assert "01/03/2024 12:00:00 is no timestamp" in detail
    assert detail.endswith("SLURM_TIME_FORMAT=standard")
