"""Nsight Systems: reports and SQLite exports, against hand-counted samples and queries of the test's own."""

import sqlite3
from contextlib import closing

import polars as pl
import pytest

from pipeline.readers import _nsys_sqlite, nsys
from pipeline.stages import ingest
from reliability.fuzzing import seeds

TRACE = (
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),"
    "Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,Strm,Name\n"
)
GPU = "NVIDIA A100-SXM4-40GB (0),1,7"
COPY = f"1000,500,1,,,,,,,,,,0.004,8.0,Pageable,Device,{GPU},[CUDA memcpy Host-to-Device]\n"
GEMM = f'2000,3000,2,864,1,1,256,1,1,32,0.0,0.0,,,,,{GPU},"gemm(int, int)"\n'
SCAN = f"3000,1000,3,8,2,1,128,1,1,16,0.0,0.0,,,,,{GPU},scan\n"
SUM = "Time (%),Total Time (us),Instances,Avg (us),Name\n60,600,2,300,k\n"


def run(folder, files):
    drop = folder / "demo"
    drop.mkdir(parents=True)
    for name, content in files.items():
        (drop / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    summary = ingest.ingest(drop, folder / "out")
    return summary, {path.stem: pl.read_parquet(path) for path in (folder / "out").glob("*.parquet")}


def database(script):
    with closing(sqlite3.connect(":memory:")) as made:
        made.deserialize(seeds._nsys()["train.sqlite"])
        made.executescript(script)
        return made.serialize()


def refused(summary, reason):
    return summary.code == 2 and reason in summary.rejected


def test_a_trace_tells_times_shapes_and_the_application(tmp_path):
    summary, result = run(tmp_path, {"a_cuda_gpu_trace.csv": TRACE + COPY + GEMM + SCAN})
    assert (summary.code, summary.format) == (0, "nsys")
    gemm, scan = result["kernels"].rows(named=True)
    assert (gemm["app"], gemm["kernel"], gemm["launches"], gemm["blocks"]) == ("a", "gemm(int, int)", 1, 864)
    assert gemm["time_s"] == pytest.approx(3e-6)
    # 256 threads, 32 registers a thread: 8 blocks an SM, on 108 SMs 864 at once. Of 128 threads there are 16 an SM.
    assert gemm["waves"] == pytest.approx(1.0)
    assert scan["waves"] == pytest.approx(16 / (108 * 16))
    assert (gemm["gflops"], gemm["memory_gbps"], gemm["occupancy"]) == (None, None, None)
    app = result["gpu_apps"].row(0, named=True)
    assert app["start_s"] == pytest.approx(1e-6)
    assert app["span_s"] == pytest.approx(4e-6)
    assert app["copy_s"] == pytest.approx(5e-7)
    assert app["copied_gb"] == pytest.approx(4e-6)
    # Kernels run from 2 to 5 us, of 1 to 5 us; the scan runs beside the other.
    note = result["traces"]["note"][0]
    assert "a: kernels keep the GPU busy 75.0% of 4e-06 s, 33.3% of that beside another kernel" in note
    assert "-k 'regex:^(gemm|scan)$'" in note


@pytest.mark.parametrize(("unit", "scale"), [("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1.0)])
def test_units_are_those_of_the_header(tmp_path, unit, scale):
    _, result = run(tmp_path, {"a.csv": SUM.replace("(us)", f"({unit})")})
    assert result["kernels"]["time_s"].to_list() == pytest.approx([600 * scale])
    assert result["kernels"]["launches"].to_list() == [2]


def test_what_is_printed_before_a_table_is_not_read_and_a_second_table_is_refused(tmp_path):
    printed = "Generating SQLite file a.sqlite\nProcessing [a.sqlite] with [cuda_gpu_kern_sum.py]...\n\n"
    summary, result = run(tmp_path / "one", {"a.csv": printed + SUM})
    assert (summary.code, result["kernels"].height) == (0, 1)
    assert refused(run(tmp_path / "two", {"a.csv": SUM + SUM})[0], "several_reports")


@pytest.mark.parametrize(
    ("content", "row", "reason"),
    [
        (TRACE + COPY + GEMM.replace("3000,2", "x,2"), 3, "time_s_unreadable"),
        (TRACE + GEMM.replace('"gemm(int, int)"', "") + SCAN, 2, "kernel_missing"),
        (TRACE + SCAN + "1,2\n", 3, "malformed_line"),
        (TRACE + SCAN + SCAN.replace(",8,2,", ",8,,"), 3, "blocks_unreadable"),
    ],
)
def test_bad_rows_are_rejected_and_each_row_is_counted_once(tmp_path, content, row, reason):
    summary, result = run(tmp_path, {"a.csv": content})
    assert summary.code == 1
    assert result["rejected_rows"].select("row", "reason").rows() == [(row, reason)]
    assert result["provenance"]["rows"].to_list() == [content.count("\n") - 1]


def test_unknown_units_are_refused(tmp_path):
    assert refused(run(tmp_path, {"a.csv": SUM.replace("(us)", "(fortnight)")})[0], "unit_unknown")


def test_the_report_that_tells_most_counts_and_rows_of_others_are_left_out(tmp_path):
    copies = "Time (%),Total Time (ns),Count,Avg (ns),Operation\n9,900,3,300,[CUDA memcpy Device-to-Host]\n"
    files = {
        "a_cuda_gpu_trace.csv": TRACE + COPY + GEMM,
        "a_cuda_gpu_kern_sum.csv": SUM + "1,x,1,1,cut\n",
        "a_cuda_gpu_mem_time_sum.csv": copies,
        "b_cuda_gpu_kern_sum.csv": SUM,
        "b_cuda_gpu_mem_time_sum.csv": copies,
    }
    summary, result = run(tmp_path, files)
    assert summary.code == 0
    assert result["kernels"].select("app", "kernel").rows() == [("a", "gemm(int, int)"), ("b", "k")]
    assert result["gpu_apps"]["copy_s"].to_list() == pytest.approx([5e-7, 9e-7])
    left = result["tallies"].filter(fate="left_out")
    assert left.select("reason", "rows").rows() == [("told_twice", 3)]


def test_two_files_of_one_kind_and_application_are_not_added_up(tmp_path):
    summary, result = run(tmp_path, {"a.csv": SUM, "a_cuda_gpu_kern_sum.csv": SUM})
    assert "profile_repeated" in summary.rejected
    assert result["kernels"]["launches"].to_list() == [2]


def test_sqlite_agrees_with_queries_of_its_own(tmp_path):
    content = database(
        """
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
        SELECT 10000 + 100 * i, 10050 + 100 * i + 70 * (i % 2), 0, 1 + i % 2, 32, 1 + i % 5, 1, 1, 64, 1, 1, 0, 0
        FROM n;
        """
    )
    summary, result = run(tmp_path, {"train.sqlite": content})
    assert (summary.code, summary.format) == (0, "nsys")
    with closing(sqlite3.connect(":memory:")) as own:
        own.deserialize(content)
        expected = own.execute(
            "SELECT s.value, count(*), sum(k.end - k.start) / 1e9, avg(gridX * gridY * gridZ) "
            "FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.demangledName GROUP BY 1 ORDER BY 1"
        ).fetchall()
        first, last = own.execute(
            "SELECT min(start), max(end) FROM (SELECT start, end FROM CUPTI_ACTIVITY_KIND_KERNEL UNION ALL "
            "SELECT start, end FROM CUPTI_ACTIVITY_KIND_MEMCPY)"
        ).fetchone()
        intervals = own.execute("SELECT start, end FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchall()
    got = result["kernels"].select("kernel", "launches", "time_s", "blocks").rows()
    assert [row[:2] for row in got] == [row[:2] for row in expected]
    assert [row[2:] for row in got] == [pytest.approx(row[2:]) for row in expected]
    assert result["kernels"]["gpu_sms"].to_list() == [108, 108]
    app = result["gpu_apps"].row(0, named=True)
    assert (app["start_s"], app["span_s"]) == pytest.approx((first * 1e-9, (last - first) * 1e-9))
    assert (app["copy_s"], app["copied_gb"]) == pytest.approx((1e-6, 5120e-9))
    busy = len({ns for start, end in intervals for ns in range(start, end)})
    assert f"busy {busy / (last - first):.1%} of" in result["traces"]["note"][0]
    assert result["provenance"]["rows"].to_list() == [1003 + 2]


def test_what_is_held_does_not_grow_with_the_launches(tmp_path, monkeypatch):
    monkeypatch.setattr(_nsys_sqlite, "FETCHED", 64)
    content = database(
        """
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4999)
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
        SELECT 10000 + 100 * i, 10050 + 100 * i, 0, 1, 32, 1 + i % 5, 1, 1, 64, 1, 1, 0, 0 FROM n;
        """
    )
    (tmp_path / "a.sqlite").write_bytes(content)
    activity = nsys.Activity()
    sizes = []
    with _nsys_sqlite.opened(tmp_path / "a.sqlite") as export:
        for batch in nsys._all_of(export, "a", lambda _: None):
            activity.add(batch)
            sizes.append(batch.launches.height + batch.copies.height)
    assert (activity.rows, max(sizes)) == (5005, 64)
    # Two shapes of the seed, five of the loop, and copies to and from the host as one.
    assert activity.held == 8


@pytest.mark.parametrize(
    ("script", "row", "reason"),
    [
        ("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 'soon' WHERE rowid = 2", 2, "time_unreadable"),
        ("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = 1 WHERE rowid = 2", 2, "time_unreadable"),
        ("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = 9223372036854775807 WHERE rowid = 3", 3, "time_unreadable"),
        ("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName = 99 WHERE rowid = 2", 2, "kernel_missing"),
        ("UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET start = NULL WHERE rowid = 1", 1, "time_unreadable"),
    ],
)
def test_bad_rows_of_sqlite_are_rejected_alone(tmp_path, script, row, reason):
    summary, result = run(tmp_path, {"a.sqlite": database(script)})
    assert summary.code == 1
    assert result["rejected_rows"].select("row", "reason").rows() == [(row, reason)]
    assert result["provenance"]["rows"].to_list() == [5]


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL", "columns_missing"),
        ("DROP TABLE StringIds", "columns_missing"),
        (
            "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME TO hidden;"
            "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT * FROM hidden",
            "columns_missing",
        ),
        ("DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL; DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY", "file_empty"),
    ],
)
def test_databases_without_plain_tables_of_kernels_are_refused(tmp_path, script, reason):
    assert refused(run(tmp_path, {"a.sqlite": database(script)})[0], reason)


def test_computed_columns_are_refused_before_they_are_computed(tmp_path):
    script = "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD size INTEGER GENERATED ALWAYS AS (length(start)) VIRTUAL"
    summary, _ = run(tmp_path, {"a.sqlite": database(script)})
    assert refused(summary, "unreadable_sqlite")
    assert "size of CUPTI_ACTIVITY_KIND_KERNEL is computed" in summary.rejected["unreadable_sqlite"][1]


def test_damaged_databases_are_refused_in_a_sentence(tmp_path):
    content = bytearray(database(""))
    content[1000:] = bytes(len(content) - 1000)
    summary, _ = run(tmp_path, {"a.sqlite": bytes(content)})
    assert refused(summary, "unreadable_sqlite")


def test_work_is_bounded_by_the_size_of_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(_nsys_sqlite, "_STEPS", 10)
    monkeypatch.setattr(_nsys_sqlite, "_STEPS_A_BYTE", 0)
    monkeypatch.setattr(_nsys_sqlite, "_EVERY", 5)
    summary, _ = run(tmp_path, {"a.sqlite": database("")})
    assert "interrupted" in summary.rejected["unreadable_sqlite"][1]
