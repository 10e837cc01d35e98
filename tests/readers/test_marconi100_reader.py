"""The M100 ExaData reader against the plain definitions, on small random months of its layout."""

from datetime import UTC, datetime

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline import ingest
from pipeline.fit.phases import job_series, segment

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
    return summary, {path.stem: pl.read_parquet(path) for path in out.iterdir()}


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


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("parts", "row_group"), [(1, 10**6), (5, 64)])
def test_streamed_phases_are_those_of_the_whole(tmp_path, seed, parts, row_group):
    jobs, samples = month(np.random.default_rng(seed))
    drop = tmp_path / "m100"
    write_jobs(drop, jobs)
    write_metric(drop, "mem_free", samples, parts=parts, row_group=row_group)
    write_metric(drop, "mem_total", [(0, TOTAL_KIB, str(n)) for n in range(6)])
    _, found = run(drop, tmp_path / "out")
    want = expected(jobs, samples)
    got = found["phases"]
    assert got.select("job_id", "node", "phase", "memory_gb").equals(
        want.select("job_id", "node", "phase", "memory_gb")
    )
    assert got["duration_s"].equals(want["end_s"] - want["start_s"], check_dtypes=False)
