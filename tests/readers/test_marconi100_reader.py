"""The M100 ExaData reader against the plain definitions, on small random months of its layout."""

from datetime import UTC, datetime

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.fit.phases import job_series, segment
from pipeline.stages import ingest

T0 = int(datetime(2022, 5, 1, tzinfo=UTC).timestamp())
TOTAL_KIB = 329_871_872.0
SAMPLES = pa.schema([("timestamp", pa.timestamp("ms", "UTC")), ("value", pa.float32()), ("node", pa.string())])
JOBS = pa.schema(
    [
        ("job_id", pa.uint32()),
        *((f"{t}_time", pa.timestamp("ms", "UTC")) for t in ("submit", "start", "end")),
        ("num_nodes", pa.uint16()),
        ("nodes", pa.string()),
        ("time_limit", pa.uint32()),
        ("time_limit_str", pa.string()),
        ("user_id", pa.uint32()),
        ("tres_req_str", pa.string()),
        ("tres_alloc_str", pa.string()),
    ]
)


def write_metric(drop, metric, rows, month="22-05", parts=1, row_group=200):
    """Rows (second, value, node) as files of a metric, in the order given."""
    folder = drop / f"year_month={month}" / "plugin=ganglia_pub" / f"metric={metric}"
    folder.mkdir(parents=True, exist_ok=True)
    for i, share in enumerate(np.array_split(np.arange(len(rows)), parts)):
        time, value, node = zip(*(rows[k] for k in share), strict=True)
        columns = [[None if t is None else 1000 * (T0 + t) for t in time], value, node]
        table = pa.table([pa.array(c, f.type) for c, f in zip(columns, SAMPLES, strict=True)], schema=SAMPLES)
        pq.write_table(table, folder / f"a_{i}.parquet", row_group_size=row_group, compression="zstd")


def write_jobs(drop, rows, month="22-05"):
    """Rows (job_id, submit, start, end, nodes text, fields …) as a job table; seconds from T0."""
    folder = drop / f"year_month={month}" / "plugin=job_table" / "metric=job_info_marconi100"
    folder.mkdir(parents=True, exist_ok=True)
    frame = {name: [] for name in JOBS.names}
    for job_id, submit, start, end, nodes, *more in rows:
        times = {"submit_time": submit, "start_time": start, "end_time": end}
        row = dict.fromkeys(JOBS.names) | {"job_id": job_id, "nodes": nodes} | (more[0] if more else {})
        row |= {name: None if t is None else 1000 * (T0 + t) for name, t in times.items()}
        for name, value in row.items():
            frame[name].append(value)
    table = pa.table([pa.array(frame[f.name], f.type) for f in JOBS], schema=JOBS)
    pq.write_table(table, folder / "a_0.parquet", compression="zstd")


def run(drop, out):
    summary = ingest.ingest(drop, out)
    return summary, {path.stem: pl.read_parquet(path) for path in out.glob("*.parquet")}


def month(rng, nodes=6, jobs=25, span_s=20_000):
    """Random exclusive jobs and irregular samples of all nodes: (job rows, sample rows in blocks of a node)."""
    job_rows, free_at = [], np.zeros(nodes, int)
    for job in range(jobs):
        chosen = np.sort(rng.choice(nodes, size=rng.integers(1, nodes + 1), replace=False))
        start = int(free_at[chosen].max() + rng.integers(0, 100))
        end = start + int(rng.integers(30, 4000))
        free_at[chosen] = end
        job_rows.append((100 + job, max(0, start - 50), start, end, str([int(n) for n in chosen])))
    samples = []
    for node in range(nodes):
        time = np.unique(rng.integers(0, span_s, size=int(span_s / 40)))
        level = np.cumsum(
            rng.normal(0, 1e5, len(time)) + 4e7 * (rng.random(len(time)) < 0.02) * rng.normal(0, 1, len(time))
        )
        free = np.clip(2e8 + level, 1e6, TOTAL_KIB - 1e6).astype(np.float32)
        samples += [(int(t), float(v), str(node)) for t, v in zip(time, free, strict=True)]
    return job_rows, samples


def expected(job_rows, samples, delta=2.0):
    """Phases by the plain definitions: join, then `segment` on each node's series and on the job's."""
    origin = min(row[1] for row in job_rows)
    placed = pl.DataFrame(
        [(str(j), n, s, e) for j, _, s, e, nodes in job_rows if e - s > 60 for n in map(str, eval_list(nodes))],
        schema=["job_id", "node", "start", "end"],
        orient="row",
    )
    free = pl.DataFrame(samples, schema=["time", "value", "node"], orient="row")
    joined = placed.join(free, on="node").filter((pl.col("time") >= pl.col("start")) & (pl.col("time") < pl.col("end")))
    joined = joined.select(
        "job_id",
        "node",
        time_s=pl.col("time").cast(pl.Float64) - origin,
        used_gb=TOTAL_KIB * 1024e-9 + -1024e-9 * pl.col("value").cast(pl.Float32).cast(pl.Float64),
    )
    whole = (
        segment(job_series(joined), delta).with_columns(node=pl.lit(None, pl.String)).rename({"series_id": "job_id"})
    )
    by_node = joined.with_columns(series_id=pl.col("job_id") + "/" + pl.col("node"))
    by_node = segment(by_node.select("series_id", "time_s", "used_gb"), delta).with_columns(
        job_id=pl.col("series_id").str.split("/").list.get(0), node=pl.col("series_id").str.split("/").list.get(1)
    )
    columns = ["job_id", "node", "phase", "start_s", "end_s", "memory_gb"]
    both = pl.concat([whole.select(columns), by_node.select(columns)])
    ends = pl.DataFrame([(str(r[0]), r[3]) for r in job_rows], schema=["job_id", "end"], orient="row")
    return both.join(ends, on="job_id").sort("end", "job_id", "node", "phase", nulls_last=False)


def eval_list(text):
    return [int(item) for item in text.strip("[]").split(",")]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("parts", "row_group"), [(1, 10**6), (5, 64)])
def test_streamed_phases_are_those_of_the_whole(tmp_path, seed, parts, row_group):
    jobs, samples = month(np.random.default_rng(seed))
    drop = tmp_path / "m100"
    write_jobs(drop, jobs)
    write_metric(drop, "mem_free", samples, parts=parts, row_group=row_group)
    write_metric(drop, "mem_total", [(0, TOTAL_KIB, str(n)) for n in range(6)])
    _, result = run(drop, tmp_path / "out")
    want = expected(jobs, samples)
    got = result["phases"]
    assert got.select("job_id", "node", "phase", "memory_gb").equals(
        want.select("job_id", "node", "phase", "memory_gb")
    )
    assert got["duration_s"].equals(want["end_s"] - want["start_s"], check_dtypes=False)


def tally(tables, table):
    rows = tables["tallies"].filter(pl.col("table_name") == table)
    return {reason or fate: count for fate, reason, count in rows.select("fate", "reason", "rows").iter_rows()}


SPOILT = {
    "start_or_end_missing": lambda job, submit, start, end, nodes: (job, submit, start, None, nodes),
    "end_before_start": lambda job, submit, start, end, nodes: (job, submit, end, start, nodes),
    "nodes_missing": lambda job, submit, start, end, nodes: (job, submit, start, end, "[]"),
    "nodes_unreadable": lambda job, submit, start, end, nodes: (job, submit, start, end, "[nan]"),
}
"""Faults of a job's row by the reason that it is rejected for."""


@pytest.mark.parametrize("seed", range(4))
def test_a_month_with_faults_is_accounted_for_row_by_row(tmp_path, seed):
    """Against a slow count: jobs that ran alone for more than a minute are kept, with their samples."""
    rng = np.random.default_rng(seed)
    rows, samples = month(rng, nodes=5, jobs=60, span_s=60_000)
    places = rng.permutation(len(rows))
    reasons = [*SPOILT, *SPOILT, "nodes_missing"]
    for reason, place in zip(reasons, places, strict=False):
        rows[place] = SPOILT[reason](*rows[place])
    for number, place in enumerate(places[-6:]):
        _, submit, start, end, nodes = rows[place]
        rows.append((900 + number, submit, (start + end) // 2, end + 90, nodes))
    _, submit, start, end, nodes = rows[places[20]]
    rows.insert(0, (rows[places[20]][0], submit, start, end + 1, nodes))  # the last row of an id counts
    wrong = (None, float("nan"), 2 * TOTAL_KIB)
    for number, place in enumerate(rng.permutation(len(samples))[:30]):
        samples[place] = (samples[place][0], wrong[number % 3], samples[place][2])
    drop = tmp_path / "m100"
    write_jobs(drop, rows)
    write_metric(drop, "mem_free", samples, parts=3)
    write_metric(drop, "mem_total", [(0, TOTAL_KIB, str(n)) for n in range(5)])
    _, tables = run(drop, tmp_path / "out")

    whole = [row for row in rows[1:] if row[4] not in ("[]", "[nan]") and row[3] is not None and row[3] >= row[2]]
    kept = {}
    for job, _, start, end, nodes in whole:
        others = (row for row in whole if row[0] != job and row[2] < end and start < row[3])
        taken = {node for row in others for node in eval_list(row[4])}
        if end - start > 60 and not taken & set(eval_list(nodes)):
            kept[str(job)] = (start, end, set(eval_list(nodes)))
    assert set(tables["jobs"]["job_id"]) == set(kept)
    counts = tally(tables, "jobs")
    assert {reason: counts[reason] for reason in SPOILT} == {reason: reasons.count(reason) for reason in SPOILT}
    assert counts["superseded_row"] == 1
    assert sum(counts.values()) - counts.get("no_samples", 0) == len(rows)
    good = [(time, int(node)) for time, value, node in samples if value is not None and 0 <= value <= TOTAL_KIB]
    ran = [any(start <= time < end and node in nodes for start, end, nodes in kept.values()) for time, node in good]
    assert tally(tables, "samples") == {
        "used": sum(ran), "no_job": len(ran) - sum(ran), "sample_invalid": 20, "used_gb_negative": 10
    }  # fmt: skip


def parquet_bytes(folder):
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.name in ("phases.parquet", "jobs.parquet")}


def test_the_result_does_not_depend_on_how_files_are_cut_and_ordered(tmp_path):
    rng = np.random.default_rng(5)
    jobs, samples = month(rng, nodes=5, jobs=40, span_s=40_000)
    results = []
    for name, order, parts, row_group in (
        ("blocks", np.arange(len(samples)), 1, 10**6),
        ("cut", np.arange(len(samples)), 7, 50),
        ("by_time", np.argsort([s[0] for s in samples], kind="stable"), 3, 100),
        ("shuffled", rng.permutation(len(samples)), 2, 300),
    ):
        drop = tmp_path / name / "m100"
        write_jobs(drop, jobs)
        write_metric(drop, "mem_total", [(0, TOTAL_KIB, str(n)) for n in range(5)])
        write_metric(drop, "mem_free", [samples[k] for k in order], parts=parts, row_group=row_group)
        _, tables = run(drop, tmp_path / name / "out")
        assert tally(tables, "samples")["used"] + tally(tables, "samples")["no_job"] == len(samples)
        results.append(parquet_bytes(tmp_path / name / "out"))
    assert results[0].keys() == {"phases.parquet", "jobs.parquet"}
    assert all(result == results[0] for result in results)


def test_each_bad_sample_is_counted_and_good_ones_go_on(tmp_path):
    drop = tmp_path / "m100"
    write_jobs(drop, [(1, 0, 0, 400, "[3]"), (2, 0, 500, 900, "[3, 4]")])
    write_metric(drop, "mem_total", [(0, TOTAL_KIB, n) for n in "34"] + [(60, TOTAL_KIB, "4")])
    kib = 1e8
    rows = [
        (0, kib, "3"),
        (40, kib, "3"),
        (40, kib - 6.4e6, "3"),  # the same time, more used: this one counts
        (120, kib, "3"),
        (80, kib, "3"),  # clock backwards
        (160, None, "3"),
        (200, float("nan"), "3"),
        (240, -5.0, "3"),
        (280, 2 * TOTAL_KIB, "3"),  # more free than there is
        (None, kib, "3"),
        (320, kib, None),
        (450, kib, "3"),  # between the jobs
        (520, kib, "77"),  # a node that no job ran on
        (540, kib, "3"),
    ]
    write_metric(drop, "mem_free", rows)
    summary, result = run(drop, tmp_path / "out")
    counts = tally(result, "samples")
    assert counts == {
        "used": 5, "no_job": 2, "duplicate_sample": 1, "sample_invalid": 5, "used_gb_negative": 1, "clock_backwards": 1
    }  # fmt: skip
    rejected = result["rejected_rows"].filter(pl.col("table_name") == "samples").sort("row")
    assert rejected.select("row", "reason").rows() == [
        (2, "duplicate_sample"),
        *((r, "sample_invalid") for r in (6, 7, 8)),
        (9, "used_gb_negative"),
        *((r, "sample_invalid") for r in (10, 11)),
    ]
    assert result["provenance"].filter(pl.col("file").str.contains("mem_free"))["rows"].to_list() == [len(rows)]
    assert tally(result, "jobs") == {"used": 2, "nodes_without_samples": 1}
    assert "1 nodes have samples and ran no job of the table (77)." in result["traces"]["note"][0]
    assert "1 nodes ran jobs and have no samples (4)." in result["traces"]["note"][0]  # but a mem_total
    first = result["phases"].filter((pl.col("job_id") == "1") & pl.col("node").is_null())
    assert first["memory_gb"].max() == pytest.approx((TOTAL_KIB - kib + 6.4e6) * 1024e-9, rel=1e-6)
    assert summary.code == 1


def test_every_job_row_is_kept_or_counted_by_reason(tmp_path):
    drop = tmp_path / "m100"
    rows = [
        (1, 0, 10, 500, "[1]", {"time_limit": 30, "time_limit_str": "1-00:00:00", "user_id": 7}),
        (2, 0, 10, 60, "[2]"),  # a minute or less
        (3, 0, 100, 900, "[3]"),  # shares node 3 with the next
        (4, 0, 800, 1900, "[3, 4]"),
        (
            5,
            0,
            1900,
            2500,
            "[4]",
            {"time_limit": 4294967295, "tres_req_str": "cpu=4,mem=237.50G,node=1"},
        ),  # touches only
        (6, 0, None, 900, "[5]"),
        (7, 0, 10, 900, "[]"),
        (8, 0, 10, 900, None),
        (9, 0, 10, 900, "open('x')"),
        (14, 0, 10, 900, "[nan]"),
        (10, 0, 900, 10, "[6]"),
        (None, 0, 10, 900, "[6]"),
        (11, None, 10, 900, "[6]"),
        (12, 0, 10, 500, "[7]"),
        (12, 0, 10, 900, "[8, 8]", {"time_limit_str": "UNLIMITED", "time_limit": 99}),  # the last row counts
        (13, 0, 10, 900, "[9]", {"time_limit_str": "20:00", "tres_alloc_str": "mem=512M"}),
    ]
    write_jobs(drop, rows)
    (drop / "trace.yaml").write_text("node_memory_gb: 340\n")
    write_metric(drop, "mem_free", [(20, 1e8, str(n)) for n in range(10)])
    _, result = run(drop, tmp_path / "out")
    counts = tally(result, "jobs")
    assert counts == {
        "used": 4, "ran_a_minute_or_less": 1, "shared_nodes": 2, "start_or_end_missing": 1, "nodes_missing": 2,
        "nodes_unreadable": 2, "end_before_start": 1, "job_id_missing": 1, "submit_s_missing": 1, "superseded_row": 1,
        "no_samples": 1,
    }  # fmt: skip
    assert sum(counts.values()) - counts["no_samples"] == len(rows)
    jobs_by_id = result["jobs"].sort("job_id").rows_by_key("job_id", named=True, unique=True)
    assert {job: row["walltime_s"] for job, row in jobs_by_id.items()} == {
        "1": 86400,
        "5": None,
        "12": None,
        "13": 1200,
    }
    assert {job: row["nodes"] for job, row in jobs_by_id.items()} == {"1": 1, "5": 1, "12": 1, "13": 1}
    assert jobs_by_id["5"]["requested_memory_gb"] == pytest.approx(237.5 * 1.073741824)
    assert jobs_by_id["13"]["requested_memory_gb"] == pytest.approx(512 * 1.048576e-3)
    assert jobs_by_id["1"]["user"] == "7"
    assert result["provenance"].filter(pl.col("file").str.contains("job_info"))["rows"].to_list() == [len(rows)]


def test_capacity_that_makes_use_negative_is_refused(tmp_path):
    drop = tmp_path / "m100"
    write_jobs(drop, [(1, 0, 0, 400, "[3]")])
    write_metric(drop, "mem_free", [(40 * i, 3.1e8, "3") for i in range(5)])
    summary, result = run(drop, tmp_path / "none")
    assert (summary.code, result["rejected_rows"]["reason"].to_list()) == (2, ["capacity_unknown"])
    (drop / "trace.yaml").write_text("node_memory_gb: 256\n")
    summary, result = run(drop, tmp_path / "small")
    assert (summary.code, result["rejected_rows"]["reason"].to_list()) == (2, ["capacity_too_small"])
    assert "node_memory_gb: 256 is less" in result["rejected_rows"]["detail"][0]
    assert not (tmp_path / "small" / "phases.parquet").exists()
    (drop / "trace.yaml").write_text("node_memory_gb: 340\n")
    assert run(drop, tmp_path / "enough")[0].code == 0


def test_capacity_is_each_nodes_own(tmp_path):
    drop = tmp_path / "m100"
    write_jobs(drop, [(1, 0, 0, 400, "[3]"), (2, 0, 0, 400, "[4]"), (3, 0, 0, 400, "[5]")])
    write_metric(drop, "mem_free", [(100, 1e8, n) for n in "345"])
    write_metric(drop, "mem_total", [(0, 2e8, "3"), (0, 3e8, "4"), (60, 2.5e8, "3"), (120, None, "5")])
    _, result = run(drop, tmp_path / "out")
    memory = dict(result["phases"].filter(pl.col("node").is_null()).select("job_id", "memory_gb").iter_rows())
    assert memory == {"1": pytest.approx(1.5e8 * 1024e-9), "2": pytest.approx(2e8 * 1024e-9)}
    assert tally(result, "samples")["capacity_unknown"] == 1


def test_page_cache_can_be_left_out(tmp_path):
    drop = tmp_path / "m100"
    write_jobs(drop, [(1, 0, 0, 400, "[3]"), (2, 0, 0, 400, "[4]")])
    write_metric(drop, "mem_total", [(0, 3e8, n) for n in "34"])
    write_metric(drop, "mem_free", [(0, 1e8, "3"), (40, 1e8, "3"), (80, 1e8, "3"), (0, 1e8, "4")])
    write_metric(drop, "mem_cached", [(10, 2e7, "3"), (41, 5e7, "3")])
    write_metric(drop, "mem_buffers", [(0, 1e6, "3"), (80, 2e6, "3")])
    _, with_cache = run(drop, tmp_path / "with")
    assert with_cache["phases"].filter(pl.col("node").is_null())["memory_gb"].to_list() == pytest.approx([204.8, 204.8])
    assert "count_page_cache: true" in with_cache["traces"]["note"][0]
    (drop / "trace.yaml").write_text("count_page_cache: false\n")
    _, result = run(drop, tmp_path / "without")
    assert "mem_total - mem_free - mem_cached - mem_buffers" in result["traces"]["note"][0]
    # At 0 and 40 s the first cached value, 20 GB, is the nearest known; at 80 s it is the one of 41 s.
    phases = result["phases"].filter(pl.col("node").is_null())
    assert phases["memory_gb"].max() == pytest.approx((3e8 - 1e8 - 2e7 - 1e6) * 1024e-9)
    assert tally(result, "samples")["cache_unknown"] == 1
    assert tally(result, "samples")["used"] == 3


def test_gpu_memory_by_job_node_and_gpu(tmp_path):
    drop = tmp_path / "m100"
    write_jobs(drop, [(1, 0, 0, 400, "[3, 4]"), (2, 0, 400, 800, "[3]")])
    write_metric(drop, "mem_total", [(0, TOTAL_KIB, "3")])
    write_metric(drop, "mem_free", [(0, 1e8, "3"), (40, 1e8, "3")])
    write_metric(drop, "Gpu0_fb_used", [(0, 100, "3"), (20, 300, "3"), (399, 200, "3"), (400, 50, "3"), (0, 7, "9")])
    write_metric(drop, "Gpu3_fb_used", [(0, 16, "4"), (20, None, "4")])
    _, result = run(drop, tmp_path / "out")
    mib = 1024**2 * 1e-9
    assert result["gpu_memory"].select("job_id", "node", "gpu", "samples").rows() == [
        ("1", "3", 0, 3),
        ("1", "4", 3, 1),
        ("2", "3", 0, 1),
    ]
    assert result["gpu_memory"]["mean_gb"].to_list() == pytest.approx([200 * mib, 16 * mib, 50 * mib])
    assert result["gpu_memory"]["peak_gb"].to_list() == pytest.approx([300 * mib, 16 * mib, 50 * mib])
    assert tally(result, "gpu_memory") == {"no_job": 2}


def test_months_are_read_together_and_gaps_are_said(tmp_path):
    drop = tmp_path / "m100"
    month_s = 31 * 86_400
    write_jobs(drop, [(1, 0, 0, 400, "[3]")], "22-05")
    write_jobs(drop, [(2, month_s - 300, month_s - 200, month_s + 200, "[3]")], "22-06")
    write_jobs(drop, [(3, 3 * month_s, 3 * month_s, 3 * month_s + 400, "[3]")], "22-08")
    write_metric(drop, "mem_total", [(0, TOTAL_KIB, "3")], "22-05")
    write_metric(drop, "mem_free", [(0, 1e8, "3"), (month_s - 100, 1.5e8, "3")], "22-05")
    write_metric(drop, "mem_free", [(month_s + 100, 1e8, "3")], "22-06")
    _, result = run(drop, tmp_path / "out")
    note = result["traces"]["note"][0]
    assert "nodes have samples" not in note
    assert "nodes ran jobs" not in note
    assert "No memory samples of 22-08." in note
    assert "Months missing in between: 22-07." in note
    # Job 2 runs over the end of the month and has a sample in each of both.
    whole = result["phases"].filter(pl.col("node").is_null())
    assert whole.filter(pl.col("job_id") == "2")["duration_s"].sum() == pytest.approx(400)
    assert tally(result, "jobs") == {"used": 3, "no_samples": 1}


def test_a_metric_file_cut_in_half_leaves_the_others(tmp_path):
    drop = tmp_path / "m100"
    jobs, samples = month(np.random.default_rng(3))
    write_jobs(drop, jobs)
    write_metric(drop, "mem_total", [(0, TOTAL_KIB, str(n)) for n in range(6)])
    write_metric(drop, "mem_free", samples, parts=2)
    cut = next(drop.rglob("metric=mem_free/a_1.parquet"))
    cut.write_bytes(cut.read_bytes()[: cut.stat().st_size // 2])
    summary, result = run(drop, tmp_path / "out")
    bad = result["rejected_rows"].filter(pl.col("file").str.ends_with("a_1.parquet"))
    assert bad["reason"].to_list() == ["unreadable_parquet"]
    assert summary.code == 1
    assert 0 < result["traces"]["samples"][0] < len(samples)


def test_a_damaged_row_group_costs_its_rows_only(tmp_path):
    drop = tmp_path / "m100"
    jobs, samples = month(np.random.default_rng(3))
    write_jobs(drop, jobs)
    write_metric(drop, "mem_total", [(0, TOTAL_KIB, str(n)) for n in range(6)])
    write_metric(drop, "mem_free", samples, row_group=500)
    file = next(drop.rglob("metric=mem_free/a_0.parquet"))
    second = pq.ParquetFile(file).metadata.row_group(1).column(1)
    content = bytearray(file.read_bytes())
    start = second.dictionary_page_offset or second.data_page_offset
    content[start : start + second.total_compressed_size] = bytes(second.total_compressed_size)
    file.write_bytes(content)
    _, result = run(drop, tmp_path / "out")
    bad = result["rejected_rows"].filter(pl.col("table_name").is_null())
    assert bad.select("reason", "row").rows() == [("unreadable_parquet", 501)]
    counts = tally(result, "samples")
    assert counts["unreadable_parquet"] == 500
    assert counts["used"] + counts["no_job"] + 500 == len(samples)


def test_without_a_job_table_the_drop_is_refused(tmp_path):
    drop = tmp_path / "m100"
    write_metric(drop, "mem_free", [(0, 1e8, "3")])
    summary, result = run(drop, tmp_path / "out")
    assert (summary.code, result["rejected_rows"]["reason"].to_list()) == (2, ["job_table_missing"])
