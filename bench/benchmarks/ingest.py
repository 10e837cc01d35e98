"""Ingest of a memory trace and of a job log, beside the decoding of the same bytes; cutting the samples into phases."""

from __future__ import annotations

import gzip
import io
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq

from bench import logs
from bench.measure import alternating, child
from bench.results import Figure, quotients, rates
from bench.settings import Settings, trace_data
from pipeline import synthetic
from pipeline.fit.phases import segment
from pipeline.readers.swf import FIELDS
from pipeline.runtime import storage
from pipeline.stages.ingest import ingest

TRACE_JOBS, TINY_TRACE_JOBS = 400, 5
LOG_JOBS, TINY_LOG_JOBS = 120_000, 200
K_SEGMENTS = {
    "job_id": ["workflow", "process", "task", "start"],
    "time_s": "t_s",
    "used_gb": {"from": "mem_mb", "unit": "MB"},
}


@dataclass(frozen=True)
class _Trace:
    """A drop of samples: its folder, its file, the columns of it that are read, where it is from."""

    folder: Path
    file: Path
    columns: list[str]
    origin: str


def run(settings: Settings) -> Iterator[Figure]:
    """Figures of a trace of samples, then of a log."""
    data = None if settings.tiny else trace_data()
    yield from _samples(settings, data)
    yield from _log(settings, data)


def _samples(settings: Settings, data: Path | None) -> Iterator[Figure]:
    trace = _samples_drop(settings, data)
    target = settings.folder("ingest") / "samples"
    ingest(trace.folder, target)
    samples = pl.read_parquet(target / "samples.parquet")
    times = alternating(
        {
            "ingest": lambda: ingest(trace.folder, target),
            "decode": lambda: pq.read_table(trace.file, columns=trace.columns),
            "write": lambda: storage.write(samples, target.with_name("written.parquet")),
        },
        settings.runs,
    )
    command = [sys.executable, "-m", "pipeline", "--quiet", "ingest", trace.folder, "--target", target]
    processes = [child(command) for _ in range(settings.long_runs)]
    yield Figure("memory trace, samples", [len(samples)], "samples", trace.origin)
    yield Figure("memory trace", [1000 * s for s in times["ingest"]], "ms", "drop in, canonical tables out")
    yield rates("memory trace", len(samples), times["ingest"], "samples/s")
    yield Figure(
        "memory trace, pyarrow", [1000 * s for s in times["decode"]], "ms", "decodes the same columns, no more"
    )
    yield Figure("memory trace, writing", [1000 * s for s in times["write"]], "ms", "the samples, once")
    note = "goal: at most 4; writing alone takes longer, and samples are written twice, as read and by series"
    yield quotients("memory trace / pyarrow", times["ingest"], times["decode"], note)
    least = [d + w for d, w in zip(times["decode"], times["write"], strict=True)]
    yield quotients("memory trace / pyarrow and writing", times["ingest"], least)
    yield Figure("memory trace, process", [p.wall_s for p in processes], "s", "imports among it")
    yield Figure("memory trace, peak memory", [p.peak_gb for p in processes], "GB")

    series = samples.select(
        "time_s", "used_gb", series_id=pl.concat_str("job_id", "node", separator="/", ignore_nulls=True)
    )
    count = series["series_id"].n_unique()
    cut = alternating(
        {"segment": lambda: segment(series), "decode": lambda: pq.read_table(trace.file, columns=trace.columns)},
        settings.runs,
    )
    yield Figure("segment", [1000 * s for s in cut["segment"]], "ms", f"the same samples, {count} series, into phases")
    yield rates("segment", len(samples), cut["segment"], "samples/s")
    yield quotients("segment / pyarrow", cut["segment"], cut["decode"])


def _samples_drop(settings: Settings, data: Path | None) -> _Trace:
    folder = settings.folder("ingest") / "samples-drop"
    if data is not None and (source := data / "hpc" / "memory" / "kseg_memory.parquet").is_file():
        folder.mkdir()
        file = folder / "samples.parquet"
        file.write_bytes(source.read_bytes())
        (folder / "trace.yaml").write_text(f"columns: {K_SEGMENTS}\n", encoding="utf-8")
        return _Trace(folder, file, [*K_SEGMENTS["job_id"], "t_s", "mem_mb"], "k-Segments, measured")
    synthetic.write_memory_samples(folder, seed=1, jobs=settings.size(TRACE_JOBS, TINY_TRACE_JOBS))
    columns = ["job_id", "node", "time_s", "used_gb"]
    return _Trace(folder, folder / "samples.parquet", columns, "generated after Marconi100's laws")


def _log(settings: Settings, data: Path | None) -> Iterator[Figure]:
    folder = settings.folder("ingest") / "log"
    source = data / "hpc" / "swf" / "LANL-CM5-1994-4.1-cln.swf.gz" if data is not None else None
    if source is not None and source.is_file():
        origin = "LANL-CM5, measured"
        folder.mkdir()
        path = folder / "log.swf"
        path.write_bytes(gzip.decompress(source.read_bytes()))
    else:
        origin = "generated after Lublin and Feitelson"
        path = logs.write_swf(logs.jobs(settings.size(LOG_JOBS, TINY_LOG_JOBS)), folder)
    # polars takes one character between fields; the archive aligns them with several.
    lines = [re.sub(rb"\s+", b" ", line.strip()) for line in path.read_bytes().splitlines()]
    text = b"\n".join(line for line in lines if line and not line.startswith(b";"))
    schema = {f"field_{i}": pl.Float64 for i in range(FIELDS)}
    target = settings.folder("ingest") / "log-tables"

    def parse() -> pl.DataFrame:
        return pl.read_csv(io.BytesIO(text), separator=" ", has_header=False, schema=schema)

    times = alternating({"ingest": lambda: ingest(folder, target), "parse": parse}, settings.runs)
    jobs = pl.read_parquet(target / "jobs.parquet").height
    yield Figure("job log, records", [len(parse())], "jobs", f"{origin}; {jobs} of them usable")
    yield Figure("job log", [1000 * s for s in times["ingest"]], "ms", "drop in, canonical tables out")
    yield rates("job log", len(parse()), times["ingest"], "jobs/s")
    yield Figure(
        "job log, polars", [1000 * s for s in times["parse"]], "ms", "read_csv, fields parted by one blank before"
    )
    yield quotients("job log / polars", times["ingest"], times["parse"])
