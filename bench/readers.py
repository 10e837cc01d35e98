"""Ingest: rows a second of a drop, and its time beside what it takes to decode the columns alone."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path

import polars as pl
import polars.selectors as cs
import pyarrow.parquet as pq

from bench.figures import Figure, alternating, rate, ratio
from pipeline.runtime.sources import ROOT
from pipeline.stages.ingest import ingest
from pipeline.statistics import stand_ins

Made = tuple[Path, int, Callable[[], object]]
"""A drop, its rows, and a call that decodes its columns and does no more."""


def run(runs: int, scratch: Path, *, tiny: bool) -> Iterator[Figure]:
    """CPU times of large drops with the ratio to decoding, then of the drops that ship."""
    for name, make in {"log": _log, "edges": _edges, "node memory": _node_memory}.items():
        drop, rows, decode = make(scratch / name, tiny)
        times = alternating({"ours": partial(ingest, drop, scratch / "ingested"), "decoding": decode}, runs)
        yield rate(f"{name}, ingest", rows, times["ours"], "rows", "drop in, canonical tables out, checked")
        yield ratio(f"{name}, ingest / decoding", times["ours"], times["decoding"], "goal for memory: at most 4")
    for drop in sorted(path for path in (ROOT / "traces").iterdir() if path.is_dir()):
        rows = sum(ingest(drop, scratch / "ingested").rows.values())
        taken = alternating({"": partial(ingest, drop, scratch / "ingested")}, 1 if tiny else runs)[""]
        yield rate(drop.name, rows, taken, "rows", "rows of its canonical tables")


def write_log(file: Path, copies: int, first: int | None = None) -> int:
    """Write the log of KTH that ships, or its first jobs, so often one after the other; returns the number of jobs."""
    with gzip.open(ROOT / "traces" / "kth_sp2" / "kth_sp2.swf.gz", "rt", encoding="utf-8") as lines:
        jobs = [line.split() for line in lines if not line.startswith(";")][:first]
    span_s = int(jobs[-1][1])
    with file.open("w", encoding="utf-8") as log:
        log.write("; MaxNodes: 100\n; MaxProcs: 100\n")
        for copy in range(copies):
            log.writelines(f"{copy}{job} {copy * span_s + int(at)} {' '.join(rest)}\n" for job, at, *rest in jobs)
    return copies * len(jobs)


def _log(folder: Path, tiny: bool) -> Made:
    """An SWF log; decoded by polars."""
    file = folder / "log.swf"
    folder.mkdir()
    rows = write_log(file, 1, 200) if tiny else write_log(file, 50)
    schema = {f"f{i}": pl.Float64 for i in range(18)}
    read = partial(pl.read_csv, file, separator=" ", has_header=False, comment_prefix=";", schema=schema)
    return folder, rows, read


def _edges(folder: Path, tiny: bool) -> Made:
    """An edge list; decoded by polars."""
    _, edges = stand_ins.make("amazon", 0.005 if tiny else 0.5, seed=1)
    file = folder / "edges.el"
    folder.mkdir()
    frame = pl.DataFrame(edges, schema=["source", "target", "weight"], orient="row")
    frame.write_csv(file, include_header=False, separator="\t")
    return folder, len(frame), partial(pl.read_csv, file, separator="\t", has_header=False, schema=frame.schema)


def _node_memory(folder: Path, tiny: bool) -> Made:
    """The shipped day of node memory, copied day by day; time, value and node of mem_free decoded by pyarrow."""
    shipped = ROOT / "traces" / "marconi_like"
    for file in sorted(shipped.rglob("*.parquet")):
        rows, target = pl.read_parquet(file, hive_partitioning=False), folder / file.relative_to(shipped)
        target.parent.mkdir(parents=True)
        days, ids = range(1 if tiny else 740), cs.by_name("job_id", require_all=False)
        copies = [rows.with_columns(cs.datetime() + timedelta(days=day), ids + 10_000 * day) for day in days]
        pl.concat(copies).write_parquet(target)
    (file,) = folder.rglob("metric=mem_free/*.parquet")

    def decode() -> None:
        with pq.ParquetFile(file) as parquet:
            for _ in parquet.iter_batches(columns=["timestamp", "value", "node"], use_threads=False):
                pass

    return folder, pq.read_metadata(file).num_rows, decode
