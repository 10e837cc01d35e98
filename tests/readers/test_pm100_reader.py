"""PM100's job table: its columns, memory of the job per node, signs in place of numbers, and a real table like it."""

from datetime import UTC, datetime, timedelta

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.stages import ingest

START = datetime(2020, 5, 6, 12, 0, tzinfo=UTC)


def table(rows=2, **columns):
    """A table in PM100's layout: milliseconds in UTC, lists of nodes, power series, columns that nobody reads."""
    minute = timedelta(minutes=1)
    frame = pl.DataFrame(
        {
            "job_id": [3848449 + n for n in range(rows)],
            "cores_alloc_layout": ["{0: [0, 1]}"] * rows,
            "submit_time": [START + n * minute for n in range(rows)],
            "eligible_time": [START + n * minute for n in range(rows)],
            "start_time": [START + (n + 2) * minute for n in range(rows)],
            "end_time": [START + (n + 12) * minute for n in range(rows)],
            "run_time": [600] * rows,
            "time_limit": [1440] * rows,
            "num_nodes_req": [2] * rows,
            "num_nodes_alloc": [2] * rows,
            "num_gpus_alloc": [8] * rows,
            "mem_req": [460] * rows,
            "mem_alloc": [470] * rows,
            "user_id": [17] * rows,
            "shared": ["0"] * rows,
            "partition": ["1"] * rows,
            "job_state": ["COMPLETED"] * rows,
            "nodes": [["680", "681"]] * rows,
            "power_consumption": [[700.0, 1500.0]] * rows,
        },
        schema_overrides={name: pl.Datetime("ms", "UTC") for name in ("submit_time", "start_time", "end_time")},
    )
    return frame.with_columns(pl.Series(name, values, strict=False) for name, values in columns.items())


def run(folder, files, trace_yaml=None):
    drop = folder / "demo"
    drop.mkdir(parents=True)
    for name, content in files.items():
        (drop / name).parent.mkdir(exist_ok=True)
        if isinstance(content, bytes):
            (drop / name).write_bytes(content)
        else:
            content.write_parquet(drop / name)
    if trace_yaml:
        (drop / "trace.yaml").write_text(trace_yaml)
    summary = ingest.ingest(drop, folder / "out")
    tables = {path.stem: pl.read_parquet(path) for path in (folder / "out").glob("*.parquet")}
    return summary, tables


def read(folder, frame, trace_yaml=None):
    return run(folder, {"job_table.parquet": frame}, trace_yaml)


def tallies(tables):
    return {reason or fate: n for fate, reason, n in tables["tallies"].select("fate", "reason", "rows").iter_rows()}


def test_rows_become_jobs_with_memory_per_node(tmp_path):
    summary, result = read(tmp_path, table(), "nodes: 980")
    assert summary.code == 0
    assert result["jobs"].rows(named=True)[1] == {
        "trace": "demo",
        "job_id": "3848450",
        "submit_s": 60.0,
        "nodes": 2,
        "walltime_s": 86400.0,
        "runtime_s": 600.0,
        "requested_memory_gb": 230.0,
        "used_memory_gb": None,
        "user": "17",
        "name": None,
        "partition": "1",
        "start_s": 180.0,
        "end_s": 780.0,
        "position": 1,
        "sensitivity": None,
    }
    assert result["traces"].select("format", "nodes", "samples").rows() == [("pm100", 980, 0)]
    note = result["traces"]["note"][0]
    assert "mem_req, that of the job, divided by its nodes" in note
    assert "power_consumption" in note.partition("left out:")[2]


@pytest.mark.parametrize("column", ["power_consumption", "nodes"])
def test_lists_are_not_read(tmp_path, column):
    table(400).write_parquet(tmp_path / "whole.parquet")
    row_group = pq.read_metadata(tmp_path / "whole.parquet").row_group(0)
    chunks = [row_group.column(n) for n in range(row_group.num_columns)]
    chunk = next(chunk for chunk in chunks if chunk.path_in_schema.startswith(f"{column}."))
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    content = bytearray((tmp_path / "whole.parquet").read_bytes())
    content[start : start + chunk.total_compressed_size] = b"\xff" * chunk.total_compressed_size
    with pytest.raises(OSError, match="page header"):
        pq.read_table(pa.BufferReader(bytes(content)), columns=[column])
    summary, result = run(tmp_path, {"job_table.parquet": bytes(content)})
    assert summary.code == 0
    assert result["jobs"].height == 400


@pytest.mark.parametrize(("limit", "seconds"), [(30, 1800.0), (4294967295, None), (4294967294, None), (None, None)])
def test_signs_in_place_of_a_time_limit_are_none(tmp_path, limit, seconds):
    _, result = read(tmp_path, table(1, time_limit=[limit]))
    assert result["jobs"]["walltime_s"].to_list() == [seconds]


def test_run_time_is_else_that_from_start_to_end(tmp_path):
    _, result = read(tmp_path / "a", table(run_time=[None, 500]))
    assert result["jobs"]["runtime_s"].to_list() == [600.0, 500.0]
    _, result = read(tmp_path / "b", table().drop("run_time"))
    assert result["jobs"]["runtime_s"].to_list() == [600.0, 600.0]
    _, result = read(tmp_path / "c", table().drop("start_time", "end_time"))
    assert result["jobs"].select("start_s", "runtime_s").rows() == [(None, 600.0)] * 2


def test_jobs_that_never_started_and_earlier_rows_of_a_job_are_left_out(tmp_path):
    frame = table(4, job_id=[1, 2, 1, 3], start_time=[START] * 3 + [None], run_time=[100, 200, 300, None])
    _, result = read(tmp_path, frame)
    assert result["jobs"].select("job_id", "runtime_s").rows() == [("2", 200.0), ("1", 300.0)]
    assert tallies(result) == {"used": 2, "requeued": 1, "never_started": 1}


def test_nodes_asked_for_stand_in_where_the_allocated_ones_are_not_there(tmp_path):
    _, result = read(tmp_path, table(num_nodes_req=[4, 4]).drop("num_nodes_alloc"))
    assert result["jobs"].select("nodes", "requested_memory_gb").rows() == [(4, 115.0)] * 2


def test_nothing_requested_is_not_known(tmp_path):
    _, result = read(tmp_path, table(mem_req=[0, None]))
    assert result["jobs"]["requested_memory_gb"].to_list() == [None, None]


def test_settings_map_columns_before_the_reader_does(tmp_path):
    mapping = "columns: {walltime_s: run_time, requested_memory_gb: {from: mem_alloc, unit: GiB}, user: partition}"
    _, result = read(tmp_path, table(), mapping)
    jobs = result["jobs"]
    assert jobs.select("walltime_s", "user").rows() == [(600.0, "1")] * 2
    assert jobs["requested_memory_gb"].to_list() == pytest.approx([235 * 1024**3 / 1e9] * 2)
    assert "mem_alloc, that of the job" in result["traces"]["note"][0]
    _, result = read(tmp_path / "b", table(), "columns: {requested_memory_gb: num_gpus_alloc}")
    assert result["jobs"]["requested_memory_gb"].to_list() == [8.0, 8.0]


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"job_id": [1, None]}, "job_id_missing"),
        ({"submit_time": [START, None]}, "submit_s_missing"),
        ({"num_nodes_alloc": [2, 0]}, "nodes_too_small"),
        ({"num_nodes_alloc": [2, 981]}, "larger_than_machine"),
        ({"run_time": [600, 0]}, "runtime_s_not_positive"),
        ({"mem_req": [460, -1]}, "requested_memory_gb_negative"),
        ({"end_time": [START + timedelta(hours=1), START]}, "end_before_start"),
    ],
)
def test_bad_row_is_rejected_with_its_number_and_the_other_stays(tmp_path, columns, reason):
    summary, result = read(tmp_path, table(**columns), "nodes: 980")
    assert result["jobs"].height == 1
    assert result["rejected_rows"].select("file", "row", "reason").rows() == [("job_table.parquet", 2, reason)]
    assert summary.code == 1


@pytest.mark.parametrize(
    ("files", "trace_yaml", "reason", "part"),
    [
        (["job_table.parquet", "b/job_table.parquet"], None, "table_repeated", "b/job_table.parquet"),
        (["jobs_2020.parquet"], "format: pm100\njobs: job_2020.parquet", "file_unknown", "did you mean 'jobs_2020"),
        (["other.parquet"], "format: pm100", "format_unknown", "pm100"),
        (["job_table.parquet", "samples.parquet"], None, "format_ambiguous", "state `format:`"),
    ],
)
def test_drop_without_one_job_table_is_refused(tmp_path, files, trace_yaml, reason, part):
    summary, result = run(tmp_path, {name: table() for name in files}, trace_yaml)
    assert result["rejected_rows"]["reason"].to_list() == [reason]
    assert part in result["rejected_rows"]["detail"][0]
    assert summary.code == 2


@pytest.mark.parametrize(
    ("frame", "part"),
    [
        (table().drop("submit_time"), "no column submit_s (mapped to submit_time)"),
        (table().drop("num_nodes_alloc", "num_nodes_req"), "neither num_nodes_alloc nor num_nodes_req"),
        (table().rename({"job_id": "jobid"}), "did you mean 'jobid'"),
    ],
)
def test_missing_columns_are_refused(tmp_path, frame, part):
    _, result = read(tmp_path, frame)
    assert result["rejected_rows"].select("file", "reason").rows() == [("job_table.parquet", "columns_missing")]
    assert part in result["rejected_rows"]["detail"][0]


def test_a_table_that_is_cut_off_is_refused(tmp_path):
    table().write_parquet(tmp_path / "whole.parquet")
    content = (tmp_path / "whole.parquet").read_bytes()
    summary, result = run(tmp_path, {"job_table.parquet": content[: len(content) // 2]})
    assert result["rejected_rows"]["reason"].to_list() == ["unreadable_parquet"]
    assert summary.code == 2


STATED = "format: pm100\njobs: m100_real_jobs.parquet\n"


@pytest.mark.real
def test_real_jobs_are_all_there(tmp_path, trace_data):
    source = trace_data / "hpc" / "m100" / "m100_real_jobs.parquet"
    summary, result = run(tmp_path, {source.name: source.read_bytes()}, f"{STATED}time_zone: Europe/Rome\nnodes: 980\n")
    assert summary.code == 0
    raw = pl.read_parquet(source).cast({"job_id": pl.String}).sort("job_id")
    jobs = result["jobs"].sort("job_id")
    assert jobs.height == 1994
    assert jobs["job_id"].equals(raw["job_id"])
    assert jobs["nodes"].equals(raw["num_nodes_alloc"].alias("nodes"))
    assert jobs["runtime_s"].to_list() == raw["run_time"].to_list()
    assert jobs["walltime_s"].to_list() == [60 * minutes for minutes in raw["time_limit"]]
    assert jobs["user"].to_list() == [str(user) for user in raw["user_id"]]
    first = raw["submit_time"].min()
    assert jobs["submit_s"].to_list() == [(time - first) / timedelta(seconds=1) for time in raw["submit_time"]]
    assert jobs.select("requested_memory_gb", "start_s", "end_s", "name").null_count().row(0) == (1994,) * 4


@pytest.mark.real
def test_real_jobs_without_their_time_limits_have_none(tmp_path, trace_data):
    source = trace_data / "hpc" / "m100" / "m100_real_jobs.parquet"
    _, result = run(tmp_path, {source.name: pl.read_parquet(source).drop("time_limit")}, STATED)
    assert result["jobs"].height == result["jobs"]["walltime_s"].null_count() == 1994
