"""Ingest: rows a second of a drop, and its time beside what it takes to decode the columns alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq

from bench.figures import Figure, alternating, rate, ratio
from pipeline import synthetic
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


def _log(folder: Path, tiny: bool) -> Made:
    """An SWF log of generated jobs; decoded by polars."""
    jobs = synthetic.lublin_jobs(1, 200 if tiny else 200_000, 256, 0.85)
    file = folder / "log.swf"
    folder.mkdir()
    file.write_text(synthetic.swf_text(jobs, 256, "generated for a benchmark"), encoding="utf-8")
    schema = {f"f{i}": pl.Float64 for i in range(18)}
    read = partial(pl.read_csv, file, separator=" ", has_header=False, comment_prefix=";", schema=schema)
    return folder, len(jobs), read


def _edges(folder: Path, tiny: bool) -> Made:
    """An edge list; decoded by polars."""
    _, edges = stand_ins.make("amazon", 0.005 if tiny else 0.5, seed=1)
    file = folder / "edges.el"
    folder.mkdir()
    frame = pl.DataFrame(edges, schema=["source", "target", "weight"], orient="row")
    frame.write_csv(file, include_header=False, separator="\t")
    return folder, len(frame), partial(pl.read_csv, file, separator="\t", has_header=False, schema=frame.schema)


def _node_memory(folder: Path, tiny: bool) -> Made:
    """Days of node memory as Marconi100 has it; time, value and node of mem_free decoded by pyarrow."""
    synthetic.write_marconi100(folder, 1, nodes=6 if tiny else 988, jobs=60 if tiny else None, days=1 if tiny else 3)
    files = sorted(folder.glob("year_month=*/plugin=*/metric=mem_free/*.parquet"))

    def decode() -> None:
        for file in files:
            with pq.ParquetFile(file) as parquet:
                for _ in parquet.iter_batches(columns=["timestamp", "value", "node"], use_threads=False):
                    pass

    return folder, sum(pq.read_metadata(file).num_rows for file in files), decode
