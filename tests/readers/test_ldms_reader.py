"""CSV stores of LDMS: used memory with and without page cache, jobs and nodes, repeated headers and broken lines."""

import gzip

import polars as pl
import pytest

from pipeline.stages import ingest

HEADER = (
    "#Time,Time_usec,ProducerName,component_id,job_id,app_id,"
    "MemTotal::meminfo,MemFree::meminfo,Buffers::meminfo,Cached::meminfo\n"
)
GB = 1024e-9
"""GB in a kB of /proc/meminfo."""


def row(time, node="n1", job=0, free=60_000_000, buffers=1_000_000, cached=9_000_000):
    return f"{time},0,{node},1,{job},0,100000000,{free},{buffers},{cached}\n"


def run(folder, files, trace_yaml=None):
    drop = folder / "demo"
    drop.mkdir(parents=True)
    for name, content in files.items():
        (drop / name).write_bytes(gzip.compress(content.encode()) if name.endswith(".gz") else content.encode())
    if trace_yaml:
        (drop / "trace.yaml").write_text(trace_yaml)
    summary = ingest.ingest(drop, folder / "out")
    return summary, {path.stem: pl.read_parquet(path) for path in (folder / "out").glob("*.parquet")}


def samples(tables):
    return tables["samples"].drop("trace").rows()


@pytest.mark.parametrize(("cache", "used"), [("true", 40_000_000), ("false", 30_000_000)])
def test_used_memory_is_the_total_less_what_is_free_and_at_will_page_cache(cache, used, tmp_path):
    files = {"meminfo.1700000000": HEADER + row("1700000000.25"), "b.csv.gz": HEADER + row("1700000060.25")}
    summary, result = run(tmp_path, files, f"count_page_cache: {cache}\n")
    assert summary.format == "ldms"
    assert samples(result) == [("n1", "n1", 0, pytest.approx(used * GB)), ("n1", "n1", 60, pytest.approx(used * GB))]
    assert f"count_page_cache: {cache}" in result["traces"]["note"][0]


def test_samples_belong_to_the_job_that_ran_and_the_others_are_left_out(tmp_path):
    text = HEADER + row(100) + row(160, job=7) + row(160, node="n2", job=7, free=0) + row(220, job=8)
    _, result = run(tmp_path, {"a.csv": text})
    assert [sample[:3] for sample in samples(result)] == [("7", "n1", 60), ("7", "n2", 60), ("8", "n1", 120)]
    tally = result["tallies"].select("fate", "reason", "rows").rows()
    assert tally == [("left_out", "no_job", 1), ("used", None, 3)]
    assert result["provenance"]["rows"].to_list() == [4]


def test_broken_lines_are_rejected_and_repeated_headers_left_out(tmp_path):
    text = HEADER + row(0) + HEADER + row(60, free="6x") + row("noon") + row(120, free="") + row(180, free=2 * 10**8)
    summary, result = run(tmp_path, {"a.csv": text + "240,0,n1\n"})
    assert [sample[2] for sample in samples(result)] == [0]
    rejected = result["rejected_rows"].sort("row").select("row", "reason").rows()
    assert rejected == [
        (4, "used_gb_unreadable"), (5, "timestamp_unreadable"), (6, "used_gb_missing"), (7, "used_gb_negative"),
        (8, "malformed_line"),
    ]  # fmt: skip
    assert result["tallies"].filter(pl.col("reason") == "header_repeated")["rows"].to_list() == [1]
    assert result["provenance"]["rows"].to_list() == [7]
    assert summary.code == 1


def test_nodes_may_be_numbers_and_metrics_plain(tmp_path):
    text = "#Time,Time_usec,component_id,MemTotal,MemFree\n10,0,5,100,40\n"
    _, result = run(tmp_path, {"a.csv": text})
    assert samples(result) == [("5", "5", 0, pytest.approx(60 * GB))]


def test_a_set_without_memory_is_refused_with_what_is_there(tmp_path):
    summary, result = run(tmp_path, {"a.csv": "#Time,Time_usec,ProducerName,user\n10,0,n1,5\n"})
    assert summary.code == 2
    assert result["rejected_rows"]["reason"].to_list() == ["columns_missing"]
    assert "MemTotal, MemFree" in result["rejected_rows"]["detail"][0]
