"""Memory samples: mapped columns, units, time origins, order, duplicates; damaged files refused; memory bounded."""

import gzip
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline import tables
from pipeline.readers import _series
from pipeline.stages import ingest

HEADER = "job_id,node,time_s,used_gb\n"


def run(folder, files, trace_yaml=None):
    drop = folder / "demo"
    drop.mkdir(parents=True)
    for name, content in files.items():
        if isinstance(content, pl.DataFrame):
            content.write_parquet(drop / name)
        else:
            (drop / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    if trace_yaml:
        (drop / "trace.yaml").write_text(trace_yaml)
    summary = ingest.ingest(drop, folder / "out")
    written = {path.stem: pl.read_parquet(path) for path in (folder / "out").glob("*.parquet")}
    return summary, written


def reasons(written):
    return written["rejected_rows"].select("file", "row", "reason").rows()


def test_csv_rows_become_samples_sorted_by_series_and_time(tmp_path):
    _, result = run(tmp_path, {"samples.csv": HEADER + "b,n1,0,1\na,n2,60,2\na,n2,0,3\na,n1,0,4\n"})
    assert result["samples"].rows() == [
        ("demo", "a", "n1", 0.0, 4.0),
        ("demo", "a", "n2", 0.0, 3.0),
        ("demo", "a", "n2", 60.0, 2.0),
        ("demo", "b", "n1", 0.0, 1.0),
    ]
    assert dict(result["samples"].schema) == tables.polars_schema(tables.Sample)
    assert "jobs" not in result


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("a,n,60,", "used_gb_missing"),
        ("a,n,60,-1", "used_gb_negative"),
        ("a,n,60,nan", "used_gb_not_a_number"),
        ("a,n,60,inf", "used_gb_infinite"),
        ("a,n,60,lots", "used_gb_unreadable"),
        ("a,n,-60,1", "time_s_negative"),
        ("a,n,NaN,1", "time_s_not_a_number"),
        (",n,60,1", "job_id_missing"),
        ("a,n,0,5", "duplicate_sample"),
        ("a,n,60", "malformed_line"),
        ("a,n,60,1,2", "malformed_line"),
        ('a,"n,60,1', "malformed_line"),
    ],
)
def test_bad_row_is_rejected_with_its_line_and_the_others_stay(tmp_path, line, reason):
    summary, result = run(tmp_path, {"samples.csv": f"{HEADER}a,n,0,1\n\n{line}\na,n,120,1\n"})
    assert result["samples"]["time_s"].to_list() == [0, 120]
    assert reasons(result) == [("samples.csv", 4, reason)]
    assert summary.code == 1


def test_quoted_names_may_hold_commas(tmp_path):
    _, result = run(tmp_path, {"samples.csv": HEADER + '"a, ""b""",n,0,1\r\nc,n,0,2\r\n'})
    assert result["samples"]["job_id"].to_list() == ['a, "b"', "c"]


def test_parquet_with_categories_composite_ids_and_units(tmp_path):
    start = datetime(2024, 1, 1, tzinfo=UTC)
    frame = pl.DataFrame(
        {"flow": ["f", "f"], "task": ["t", "u"], "start": [start, start], "t": [0.5, 1.0], "mb": [1500.0, 250.0]}
    )
    frame = frame.with_columns(pl.col("flow", "task").cast(pl.Categorical), pl.col("mb").cast(pl.Float32))
    mapping = "columns: {job_id: [flow, task, start], time_s: {from: t, unit: min}, used_gb: {from: mb, unit: MB}}"
    _, result = run(tmp_path, {"anything.parquet": frame}, mapping)
    assert result["samples"].rows() == [
        ("demo", "f/t/2024-01-01T00:00:00Z", None, 30.0, 1.5),
        ("demo", "f/u/2024-01-01T00:00:00Z", None, 60.0, 0.25),
    ]


def test_a_node_is_the_series_where_there_is_no_job(tmp_path):
    _, result = run(tmp_path, {"samples.csv": "node,time_s,used_gb\nn1,0,1\n"})
    assert result["samples"].select("job_id", "node").rows() == [("n1", "n1")]


@pytest.mark.parametrize(
    "times",
    [
        ["2024-03-01T12:00:00Z", "2024-03-01T12:01:00.5Z"],
        ["2024-03-01 12:00:00", "2024-03-01 12:01:00.5"],
        ["2024-03-01T13:00:00+01:00", "2024-03-01T13:01:00.500+01:00"],
        ["1709294400", "1709294460.5"],
    ],
)
def test_timestamps_count_from_the_first_sample(tmp_path, times):
    rows = "".join(f"a,{time},1\n" for time in reversed(times))
    _, result = run(tmp_path, {"samples.csv": f"job_id,timestamp,used_gb\n{rows}"})
    assert result["samples"]["time_s"].to_list() == [0.0, 60.5]
    assert "first sample, 2024-03-01T12:00:00Z" in result["traces"]["note"][0]


def test_where_no_timestamp_can_be_read_every_row_is_rejected(tmp_path):
    _, result = run(tmp_path, {"samples.csv": "job_id,timestamp,used_gb\na,202499-00:00:00,1\na,never,2\n"})
    assert "samples" not in result
    assert [reason for _, _, reason in reasons(result)] == ["timestamp_unreadable"] * 2


def test_times_without_a_zone_are_read_in_the_stated_one(tmp_path):
    # Clocks in Rome went from 02:00 to 03:00 on 31 March 2024; 02:30 did not exist.
    rows = "a,2024-03-31 01:30:00,1\na,2024-03-31 02:30:00,1\na,2024-03-31 03:30:00,1\n"
    _, result = run(tmp_path, {"samples.csv": f"job_id,timestamp,used_gb\n{rows}"}, "time_zone: Europe/Rome")
    assert result["samples"]["time_s"].to_list() == [0, 3600]
    assert reasons(result) == [("samples.csv", 3, "timestamp_unreadable")]


def test_jobs_share_the_origin_of_the_samples(tmp_path):
    files = {
        "samples.csv": "job_id,timestamp,used_gb\na,2024-03-01T12:10:00Z,1\n",
        "jobs.csv": "job_id,submit_s,nodes,start_s,colour\na,2024-03-01T12:00:00Z,2,2024-03-01T12:05:00Z,red\n",
    }
    _, result = run(tmp_path, files, "nodes: 4")
    assert result["jobs"].select("submit_s", "start_s").rows() == [(0.0, 300.0)]
    assert result["samples"]["time_s"].to_list() == [600.0]
    assert "Columns of jobs.csv left out: colour." in result["traces"]["note"][0]


def test_jobs_are_held_against_the_machine(tmp_path):
    files = {"samples.csv": HEADER + "a,n,0,1\n", "jobs.csv": "job_id,submit_s,nodes\na,0,5\nb,0,2.5\nc,0,4\n"}
    _, result = run(tmp_path, files, "nodes: 4")
    assert result["jobs"]["job_id"].to_list() == ["c"]
    assert sorted(reasons(result)) == [("jobs.csv", 2, "larger_than_machine"), ("jobs.csv", 3, "nodes_not_an_integer")]


@pytest.mark.parametrize(
    ("header", "part", "file"),
    [
        ("whose,time_s,used_gb", "Found: whose, time_s, used_gb", "samples.csv"),
        ("job_id,time_s,usd_gb", "used_gb; did you mean 'usd_gb'", "samples.csv"),
        ("job_id;time_s", "Found", "samples.csv"),
    ],
)
def test_missing_columns_say_what_was_found_and_how_to_map(tmp_path, header, part, file):
    summary, result = run(tmp_path, {"samples.csv": f"{header}\n1,2,3\n"})
    assert reasons(result) == [(file, None, "columns_missing")]
    detail = result["rejected_rows"]["detail"][0]
    assert part in detail
    assert "trace.yaml" in detail
    assert summary.code == 2


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("samples.parquet", b"PAR1 this is not Parquet PAR1", "unreadable_parquet"),
        ("samples.parquet", b"", "file_empty"),
        ("samples.csv", b"", "file_empty"),
        ("samples.csv", HEADER.encode(), "file_empty"),
        ("samples.csv", b"\n\n", "columns_missing"),
        ("samples.csv", b"job_id,job_id,time_s,used_gb\na,a,0,1\n", "columns_repeated"),
    ],
)
def test_unusable_file_is_refused(tmp_path, name, content, reason):
    summary, result = run(tmp_path, {name: content})
    assert result["rejected_rows"].select("file", "reason").rows() == [(name, reason)]
    assert result["traces"]["status"].to_list() == ["refused"]
    assert summary.code == 2


def test_column_of_a_wrong_type_is_refused(tmp_path):
    _, result = run(tmp_path, {"samples.parquet": pl.DataFrame({"job_id": ["a"], "time_s": [0], "used_gb": [[1.0]]})})
    assert result["rejected_rows"]["reason"].to_list() == ["column_type"]


def test_parquet_damaged_in_the_middle_is_refused(tmp_path):
    frame = pl.DataFrame(
        {"job_id": ["a"] * 5000, "time_s": range(5000), "used_gb": [float(n % 97) for n in range(5000)]}
    )
    frame.write_parquet(tmp_path / "whole.parquet", compression="zstd")
    content = bytearray((tmp_path / "whole.parquet").read_bytes())
    content[40:400] = bytes(360)
    _, result = run(tmp_path, {"samples.parquet": bytes(content)})
    assert set(result["rejected_rows"]["reason"]) == {"unreadable_parquet"}


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 255)), min_size=1, max_size=5))
def test_parquet_with_flipped_bytes_is_read_or_refused(flips):
    frame = pl.DataFrame(
        {"job_id": ["a", "b"] * 300, "time_s": range(600), "used_gb": [float(n % 13) for n in range(600)]}
    )
    with tempfile.TemporaryDirectory() as folder:
        frame.write_parquet(Path(folder) / "whole.parquet")
        content = bytearray((Path(folder) / "whole.parquet").read_bytes())
        for position, value in flips:
            content[position % len(content)] = value
        _, result = run(Path(folder), {"samples.parquet": bytes(content)})
    refused = result["rejected_rows"]["row"].null_count()
    assert refused or result["provenance"]["rows"].to_list() == [
        result["traces"]["samples"].item() + result["rejected_rows"].height
    ]


def test_rows_before_the_cut_of_truncated_samples_are_kept(tmp_path):
    text = HEADER + "".join(f"a,n,{n},{n * n % 7919}\n" for n in range(20_000))
    whole = gzip.compress(text.encode())
    _, result = run(tmp_path, {"samples.csv.gz": whole[: len(whole) // 2]})
    samples = result["samples"]
    assert 5000 < samples.height < 15_000
    assert samples["time_s"].to_list() == list(range(samples.height))
    assert result["rejected_rows"]["reason"].to_list() == ["truncated_gzip"]


def test_a_bad_file_beside_a_good_one_is_refused_alone(tmp_path):
    files = {"a.csv": "job,t,used\nj,0,1\n", "b.csv": "x,y\n1,2\n"}
    summary, result = run(tmp_path, files, "columns: {job_id: job, time_s: t, used_gb: used}")
    assert result["samples"].height == 1
    assert reasons(result) == [("b.csv", None, "columns_missing")]
    assert summary.code == 1


def shuffled(count):
    frame = pl.DataFrame(
        {
            "job_id": [f"j{n % 37:03}" for n in range(count)],
            "node": [None if n % 37 % 2 else f"n{n % 37 % 5}" for n in range(count)],
            "time_s": [float(n // 37) for n in range(count)],
            "used_gb": [float(n * 7919 % 1000) for n in range(count)],
        },
        schema={"job_id": pl.String, "node": pl.String, "time_s": pl.Float64, "used_gb": pl.Float64},
    )
    return frame.sample(fraction=1.0, shuffle=True, seed=1)


def test_disorder_is_sorted_and_order_of_rows_leaves_no_trace(tmp_path, monkeypatch):
    monkeypatch.setattr(_series, "ROW_GROUP", 1000)
    frame = shuffled(40_000)
    _, result = run(tmp_path / "shuffled", {"samples.parquet": frame})
    expected = frame.sort("job_id", "node", "time_s")
    assert result["samples"].drop("trace").equals(expected)
    run(tmp_path / "sorted", {"samples.parquet": expected})
    first, second = (tmp_path / name / "out" / "samples.parquet" for name in ("shuffled", "sorted"))
    assert first.read_bytes() == second.read_bytes()


def test_of_samples_at_one_time_the_first_in_the_file_counts(tmp_path):
    frame = pl.concat([shuffled(5000), shuffled(5000).with_columns(used_gb=pl.lit(1e6)), shuffled(5000)])
    _, result = run(tmp_path, {"samples.parquet": frame})
    assert result["samples"].drop("trace").equals(shuffled(5000).sort("job_id", "node", "time_s"))
    rejected = result["rejected_rows"]
    assert set(rejected["reason"]) == {"duplicate_sample"}
    assert sorted(rejected["row"]) == list(range(5001, 15_001))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300), st.booleans())
def test_arbitrary_bytes_never_crash_and_rows_add_up(content, with_header):
    content = (HEADER.encode() if with_header else b"") + content
    with tempfile.TemporaryDirectory() as folder:
        _, result = run(Path(folder), {"samples.csv": content})
    used_rows = result["samples"].height if "samples" in result else 0
    assert (result["provenance"]["rows"][0] or 0) == used_rows + result["rejected_rows"].filter(
        pl.col("table_name") == "samples"
    ).height
    binary = "file_binary" in result["rejected_rows"]["reason"].to_list()
    if with_header and not binary:
        lines = content.replace(b"\r\n", b"\n").split(b"\n")[1:]
        assert (result["provenance"]["rows"][0] or 0) == sum(line != b"" for line in lines)


cells = st.sampled_from(["a", "b", "", "0", "60", "60.0", "-1", "1e3", "nan", "inf", '"q"', "é"])


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(cells, min_size=3, max_size=5), min_size=1, max_size=12))
def test_every_row_is_kept_or_rejected_once(rows):
    text = HEADER + "".join(",".join(row) + "\n" for row in rows)
    with tempfile.TemporaryDirectory() as folder:
        _, result = run(Path(folder), {"samples.csv": text})
    used_rows = result["samples"].height if "samples" in result else 0
    assert used_rows + result["rejected_rows"].height == len(rows)
    assert result["rejected_rows"]["row"].n_unique() == result["rejected_rows"].height


KSEG = "columns: {job_id: [workflow, process, task, start], time_s: t_s, used_gb: {from: mem_mb, unit: MB}}"


@pytest.mark.slow
@pytest.mark.real
def test_k_segments_series_are_all_there(tmp_path, trace_data):
    source = trace_data / "hpc" / "memory" / "kseg_memory.parquet"
    summary, result = run(tmp_path, {"kseg.parquet": source.read_bytes()}, KSEG)
    assert summary.code == 0
    assert result["samples"].height == 1_188_176
    assert result["samples"]["job_id"].n_unique() == 7138
    raw = pl.read_parquet(source, columns=["mem_mb"])["mem_mb"].cast(pl.Float64)
    assert result["samples"]["used_gb"].sum() == pytest.approx(raw.sum() / 1000)


@pytest.mark.real
def test_emmy_nulls_are_rejected_and_nothing_is_lost(tmp_path, trace_data):
    source = trace_data / "hpc" / "memory" / "emmy_mem_used.parquet"
    mapping = "columns: {job_id: job_id, node: node, timestamp: timestamp, used_gb: value}"
    _, result = run(tmp_path, {"emmy.parquet": source.read_bytes()}, mapping)
    raw = pl.read_parquet(source)
    assert result["samples"].height == raw["value"].count() == 83_689
    assert result["rejected_rows"].group_by("reason").len().rows() == [("used_gb_missing", 8567)]
    assert result["samples"]["time_s"].min() == 0
    assert result["samples"]["time_s"].max() <= (raw["timestamp"].max() - raw["timestamp"].min()) / timedelta(seconds=1)


GROWTH = """
import resource, sys
from pathlib import Path
from pipeline.readers import _series
from pipeline.stages import ingest
_series.SORT_MEMORY = "64MB"
ingest.ingest(Path(sys.argv[1]), Path(sys.argv[2]))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak_mb(drop, target):
    done = subprocess.run(
        [sys.executable, "-c", GROWTH, str(drop), str(target)],
        capture_output=True, text=True, check=True, cwd=Path(ingest.__file__).parents[1],
    )  # fmt: skip
    return int(done.stdout) / 1024


@pytest.mark.slow
@pytest.mark.real
def test_memory_is_flat_in_the_length_of_the_trace(tmp_path, trace_data):
    frame = pl.read_parquet(trace_data / "hpc" / "memory" / "kseg_memory.parquet").head(300_000)
    peaks = []
    for copies in (1, 8):
        drop = tmp_path / f"x{copies}"
        drop.mkdir()
        for copy in range(copies):
            shifted = frame.with_columns(pl.col("t_s") + 1e6 * copy)
            shifted.write_parquet(drop / f"{copy}.parquet", row_group_size=100_000)
        (drop / "trace.yaml").write_text(KSEG)
        peaks.append(peak_mb(drop, tmp_path / f"out{copies}"))
    # Held in memory, 2.1 million more samples would take some 200 MB for their names and numbers alone. They are sorted
    # in as much as the sort may take, which is less here.
    assert peaks[1] - peaks[0] < 150
