"""SWF logs: the fields' meaning, the traps of real logs, and nothing lost on the way."""

import gzip
import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.stages import ingest


def job(number=1, submit=0, wait=0, run=60, used=2, used_kb=-1, procs=2, requested=100, requested_kb=-1, user=7, app=3):
    return (
        f"{number} {submit} {wait} {run} {used} -1 {used_kb} {procs} {requested} {requested_kb} 1 {user} 1 {app} 1 -1 "
        "-1 -1"
    )


def run(folder, content, trace_yaml=None, name="log.swf"):
    drop = folder / "demo"
    drop.mkdir(parents=True)
    (drop / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    if trace_yaml:
        (drop / "trace.yaml").write_text(trace_yaml)
    summary = ingest.ingest(drop, folder / "out")
    written = {path.stem: pl.read_parquet(path) for path in (folder / "out").glob("*.parquet")}
    return summary, written


def test_fields_become_a_job(tmp_path):
    _, result = run(
        tmp_path, "; MaxProcs: 64\n" + job(5, 100, 20, 60, 8, 2_000_000, 16, 90, 500_000) + "\n", "cpus_per_node: 4"
    )
    assert result["jobs"].rows(named=True) == [
        {
            "trace": "demo/log",
            "job_id": "5",
            "submit_s": 100.0,
            "nodes": 4,
            "walltime_s": 90.0,
            "runtime_s": 60.0,
            "requested_memory_gb": 2.0,
            "used_memory_gb": 8.0,
            "user": "7",
            "name": "3",
            "partition": "1",
            "start_s": 120.0,
            "end_s": 180.0,
            "position": 0,
            "sensitivity": None,
        }
    ]
    assert result["traces"]["nodes"].to_list() == [16]


def test_part_of_a_node_is_a_node_with_the_memory_of_its_own_processors(tmp_path):
    _, result = run(tmp_path, job(procs=1, requested_kb=1_000_000) + "\n" + job(2, procs=5), "cpus_per_node: 4")
    assert result["jobs"]["nodes"].to_list() == [1, 2]
    assert result["jobs"]["requested_memory_gb"].to_list() == [1.0, None]


def test_an_unknown_run_time_is_kept_as_unknown(tmp_path):
    _, result = run(tmp_path, job(run=-1, wait=5) + "\n" + job(2))
    assert result["jobs"].select("runtime_s", "start_s", "end_s").row(0) == (None, 5.0, None)
    assert "1 jobs have no run time and cannot be replayed" in result["traces"]["note"][0]


def test_an_unknown_executable_is_no_name(tmp_path):
    _, result = run(tmp_path, job(1, app=-1) + "\n" + job(2, app=12))
    assert result["jobs"]["name"].to_list() == [None, "12"]


@pytest.mark.parametrize("names", [("a.swf", "a.swf.gz"), ("x/log.swf", "y/log.swf")])
def test_two_logs_of_one_name_are_told_apart_or_refused(tmp_path, names):
    drop = tmp_path / "demo"
    for name in names:
        (drop / name).parent.mkdir(parents=True, exist_ok=True)
        content = (job() + "\n").encode()
        (drop / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    ingest.ingest(drop, tmp_path / "out")
    traces = pl.read_parquet(tmp_path / "out" / "traces.parquet")["trace"].to_list()
    rejected = pl.read_parquet(tmp_path / "out" / "rejected_rows.parquet")["reason"].to_list()
    if names[0].startswith("x/"):
        assert (traces, rejected) == (["demo/x/log", "demo/y/log"], [])
    else:
        assert (traces, rejected) == (["demo/a"], ["trace_duplicate"])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (job(run=0), "runtime_s_not_positive"),
        (job(used=0, procs=0), "nodes_too_small"),
        (job(used=-1, procs=-1), "nodes_too_small"),
        (job(procs=65), "larger_than_machine"),
        (job(submit=-5), "submit_s_negative"),
        (job(submit=-1), "submit_s_missing"),
        (job(number=-1), "job_id_missing"),
        (job(submit="nan"), "submit_s_not_a_number"),
        (job(submit="x"), "malformed_line"),
        (job(number="1.5"), "malformed_line"),
        (job(app="1.5"), "malformed_line"),
        ("1 2 3", "malformed_line"),
        ("\x00\x01", "malformed_line"),
    ],
)
def test_bad_line_is_rejected_with_its_number_and_the_others_stay(tmp_path, line, reason):
    summary, result = run(tmp_path, f"; MaxProcs: 64\n{job(11)}\n{line}\n{job(12)}\n")
    assert result["jobs"]["job_id"].to_list() == ["11", "12"]
    assert result["rejected_rows"].select("file", "row", "reason").rows() == [("log.swf", 3, reason)]
    assert summary.code == 1


def test_traps_are_kept_and_counted_in_the_note(tmp_path):
    lines = [
        job(1, run=200, requested=100),
        job(2, requested=-1),
        job(3, wait=-1),
        job(4, procs=-1, used=3),
        job(5) + " 99 98",
    ]
    _, result = run(tmp_path, "\n".join(lines))
    jobs = result["jobs"].sort("job_id")
    assert jobs["walltime_s"].to_list() == [100, None, 100, 100, 100]
    assert jobs["start_s"].is_null().to_list() == [False, False, True, False, False]
    assert jobs["nodes"].to_list() == [2, 2, 2, 3, 2]
    note = result["traces"]["note"][0]
    for part in (
        "1 jobs ran longer",
        "1 jobs request no time: EASY has no estimate",
        "for 1 jobs without them",
        "1 lines have more",
    ):
        assert part in note


def test_constant_used_memory_is_a_default_and_not_used(tmp_path):
    constant = [job(n, used_kb=1024) for n in range(1, 201)]
    _, result = run(tmp_path / "a", "\n".join([*constant, job(201, used_kb=7)]))
    assert result["jobs"]["used_memory_gb"].null_count() == 201
    assert "Used memory is 1024 kB for 200 of 201 jobs" in result["traces"]["note"][0]
    _, result = run(tmp_path / "b", "\n".join([*constant, *(job(n, used_kb=n) for n in range(201, 211))]))
    assert result["jobs"]["used_memory_gb"].null_count() == 0


def test_second_job_of_an_id_is_rejected(tmp_path):
    _, result = run(tmp_path, f"{job(1)}\n{job(1, submit=4)}\n")
    assert result["jobs"]["submit_s"].to_list() == [0]
    assert result["rejected_rows"].select("row", "reason").rows() == [(2, "duplicate_job_id")]


def test_settings_override_the_size_in_the_header(tmp_path):
    _, result = run(tmp_path, f"; MaxProcs: 64\n{job(procs=4)}\n", "nodes: 3")
    assert result["rejected_rows"]["reason"].to_list() == ["larger_than_machine"]
    assert result["traces"]["nodes"].to_list() == [3]


def test_each_log_is_a_trace_and_one_that_is_empty_fails_alone(tmp_path):
    drop = tmp_path / "demo"
    drop.mkdir()
    (drop / "a.swf").write_text(job())
    with gzip.open(drop / "b.swf.gz", "wt") as file:
        file.write(job())
    (drop / "c.swf").write_text("")
    (drop / "d.swf").write_text("; only a header\n")
    assert ingest.ingest(drop, tmp_path / "out").code == 1
    traces = pl.read_parquet(tmp_path / "out" / "traces.parquet")
    assert traces.select("trace", "status", "jobs").rows() == [
        ("demo/a", "read", 1),
        ("demo/b", "read", 1),
        ("demo/c", "refused", 0),
        ("demo/d", "refused", 0),
    ]
    rejected = pl.read_parquet(tmp_path / "out" / "rejected_rows.parquet")
    assert rejected.select("file", "reason").rows() == [("c.swf", "file_empty"), ("d.swf", "file_empty")]


def test_rows_before_the_cut_of_a_truncated_log_are_kept(tmp_path):
    # Spread the numbers, so that the compressed stream is long enough to be cut in the middle of the records.
    text = "\n".join(job(n, submit=n * n * 7919 % 999983) for n in range(1, 5001))
    whole = gzip.compress(text.encode())
    _, result = run(tmp_path, whole[: len(whole) // 2], name="log.swf.gz")
    job_count = result["jobs"].height
    assert 1000 < job_count < 4000
    assert sorted(map(int, result["jobs"]["job_id"])) == list(range(1, job_count + 1))
    assert result["rejected_rows"]["reason"].to_list() == ["truncated_gzip"]
    assert f"after line {job_count}" in result["rejected_rows"]["detail"][0]


def accounted(tables):
    """Rows kept and rejected as rows; equals the rows read."""
    job_count = tables["jobs"].height if "jobs" in tables else 0
    return job_count + tables["rejected_rows"]["row"].count()


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=400))
def test_arbitrary_bytes_never_crash_and_no_line_is_lost(content):
    with tempfile.TemporaryDirectory() as folder:
        _, result = run(Path(folder), content)
    assert (result["provenance"]["rows"][0] or 0) == accounted(result)
    binary = "file_binary" in result["rejected_rows"]["reason"].to_list()
    if not content.startswith(b"\x1f\x8b") and not binary:
        records = [line for line in content.split(b"\n") if line.strip() and not line.strip().startswith(b";")]
        assert (result["provenance"]["rows"][0] or 0) == len(records)


numbers = st.one_of(
    st.integers(-2, 10**6), st.floats(-10, 1e6).map(repr), st.sampled_from(["-1", "x", "1e3", "0.5", "+7"])
)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(numbers, min_size=17, max_size=19), min_size=1, max_size=8))
def test_every_record_is_kept_or_rejected(records):
    text = "\n".join("  ".join(str(value) for value in record) for record in records)
    with tempfile.TemporaryDirectory() as folder:
        _, result = run(Path(folder), text)
    assert result["provenance"]["rows"][0] == len(records) == accounted(result)


@pytest.mark.slow
@pytest.mark.real
@pytest.mark.parametrize(
    ("name", "records", "unusable"),
    [("KTH-SP2-1996-2.1-cln", 27992, 0), ("SDSC-SP2-1998-4.2-cln", 59715, 10), ("LANL-CM5-1994-4.1-cln", 122060, 5)],
)
def test_real_logs_add_up(tmp_path, trace_data, name, records, unusable):
    log = trace_data / "hpc" / "swf" / f"{name}.swf.gz"
    _, result = run(tmp_path, log.read_bytes(), name=log.name)
    with gzip.open(log, "rt") as lines:
        split = [line.split() for line in lines if not line.startswith(";")]
    assert len(split) == records
    assert result["jobs"].height == records - unusable
    assert result["rejected_rows"].height == unusable
    # The log's own sums over its usable jobs, with the fields taken by hand.
    usable = [f for f in split if float(f[3]) != 0 and max(int(f[4]), int(f[7])) > 0]
    jobs = result["jobs"]
    assert jobs["runtime_s"].sum() == sum(float(f[3]) for f in usable if f[3] != "-1")
    assert jobs["name"].drop_nulls().len() == sum(f[13] != "-1" for f in usable)
    assert jobs["name"].n_unique() == len({f[13] for f in usable})
    assert jobs["nodes"].sum() == sum(int(f[7]) if int(f[7]) > 0 else int(f[4]) for f in usable)


@pytest.mark.real
def test_lanl_has_the_published_ratio_of_used_to_requested_memory(tmp_path, trace_data):
    log = next((trace_data / "hpc" / "swf").glob("LANL*"))
    _, result = run(tmp_path, log.read_bytes(), name=log.name)
    ratio = result["jobs"].filter(pl.col("requested_memory_gb") > 0, pl.col("used_memory_gb").is_not_null())
    assert ratio.select((pl.col("used_memory_gb") / pl.col("requested_memory_gb")).median()).item() == pytest.approx(
        0.79, abs=0.01
    )


@pytest.mark.parametrize("word", ["1&2&3", "NA", "-", "1e400x", "12345678901234567890"])
@pytest.mark.parametrize("field", [6, 11, 13, 17, 18])
def test_a_field_that_nobody_reads_costs_no_job(tmp_path, word, field):
    words = job(2).split()
    words[field - 1] = word
    # An exponent sends the third line to the slower reading, which is as lenient.
    slow = [*words[:3], "6e1", *words[4:]]
    summary, result = run(tmp_path, f"{job(1)}\n{' '.join(words)}\n{' '.join(['3', *slow[1:]])} \r\n")
    assert result["jobs"]["runtime_s"].to_list() == [60.0] * 3
    assert summary.code == 0


def test_a_log_of_any_name_is_told_by_its_records(tmp_path):
    content = f"; MaxProcs: 8\n{job(1)}\n{job(2)}\n"
    for number, name in enumerate(("log.txt", "workload", "log.dat")):
        summary, result = run(tmp_path / f"{number}", content, name=name)
        assert summary.format == "swf"
        assert result["traces"].select("nodes", "jobs").rows() == [(8, 2)]
        assert result["provenance"]["rows"].sum() == 2


def test_numbers_in_eighteen_columns_alone_are_no_log(tmp_path):
    summary, _ = run(tmp_path, "\n".join(" ".join(str(i * j) for j in range(18)) for i in range(1, 9)), name="m.txt")
    assert summary.code == 2
    assert summary.format != "swf"


UNIT = "columns: {{used_memory_gb: {{from: field 7, unit: {}}}, requested_memory_gb: {{from: field 10, unit: {}}}}}"


@pytest.mark.parametrize(
    ("used", "requested", "asked"),
    [
        (3 * 2**30, 8 * 2**30, ["used_memory_gb (field 7)", "requested_memory_gb (field 10)"]),  # bytes
        (500 * 2**20, -1, ["used_memory_gb (field 7)"]),  # bytes that are no more than a node has as kB
        (5_000_000_001, -1, ["used_memory_gb (field 7)"]),  # more than a node has
        (2_000_001, 8 * 2**20, []),  # a request of 8 GiB in kB
        (1_000_000, 2_000_000, []),
    ],
)
def test_memory_that_looks_like_another_unit_is_asked_about(tmp_path, used, requested, asked):
    lines = "\n".join(
        job(i, used_kb=i * used if used % 2**20 == 0 else used + i, requested_kb=requested) for i in (1, 2)
    )
    _, result = run(tmp_path / "asked", f"; MaxProcs: 16\n; MaxNodes: 16\n{lines}\n")
    warnings = result["traces"]["warnings"][0] or ""
    for column in ("used_memory_gb (field 7)", "requested_memory_gb (field 10)"):
        assert (f"Is {column} in kB?" in warnings) == (column in asked)
    assert ("unit: B" in warnings) == bool(asked)
    _, result = run(tmp_path / "stated", lines, trace_yaml=UNIT.format("kB", "kB"))
    assert "in kB?" not in (result["traces"]["warnings"][0] or "")


def test_memory_is_in_the_unit_that_is_stated(tmp_path):
    lines = "\n".join(job(i, used_kb=i * 2**30, requested_kb=4096) for i in (1, 2))
    _, result = run(tmp_path, lines, trace_yaml=UNIT.format("B", "MB"))
    assert result["jobs"]["used_memory_gb"].to_list() == pytest.approx([2**30 / 1e9, 2**31 / 1e9], rel=1e-12)
    assert result["jobs"]["requested_memory_gb"].to_list() == pytest.approx([4.096] * 2, rel=1e-12)


@pytest.mark.real
@pytest.mark.parametrize(
    ("name", "jobs", "said"),
    [
        ("memory_in_bytes.swf", None, "Is used_memory_gb (field 7) in kB? Each value is a whole multiple of 2^20"),
        ("swf_many_predecessors.swf", 30, ""),
        ("swf_named.txt", None, ""),
    ],
)
def test_logs_of_the_field_lose_no_job(tmp_path, trace_data, name, jobs, said):
    content = (trace_data / "field" / name).read_text()
    records = [line for line in content.splitlines() if line and line[0] != ";"]
    _, result = run(tmp_path, content, name=name)
    assert result["traces"]["jobs"].to_list() == [jobs or len(records)]
    assert result["rejected_rows"].height == 0
    assert said in (result["traces"]["warnings"][0] or "")
