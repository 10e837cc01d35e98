"""Reading a job log and an edge list, beside plain formulations of the same in polars, DuckDB and pandas."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from bench import logs
from bench.measure import alternating
from bench.peers import Unavailable, formulations
from bench.results import Figure, quotients, rates
from bench.settings import Settings
from pipeline.stages.ingest import ingest
from pipeline.statistics import stand_ins

JOBS, TINY_JOBS = 200_000, 200
SCALE, TINY_SCALE = 0.5, 0.005
PEER_LIMIT_S = 600.0

Formulation = Callable[[Path, Path], None]


@dataclass(frozen=True)
class Kind:
    """A kind of file: its drop and file, our table of it with the columns that all have, rows, and the peers."""

    drop: Path
    file: Path
    table: str
    columns: list[str]
    rows: int
    peers: dict[str, Formulation]


def run(settings: Settings) -> Iterator[Figure]:
    """CPU times, one thread; ours says besides what became of every row, and where it stood."""
    for name, kind in (("log", _log(settings)), ("edges", _edges(settings))):
        yield from _beside(settings, name, kind)


def _log(settings: Settings) -> Kind:
    log = logs.jobs(settings.size(JOBS, TINY_JOBS))
    file = logs.write_swf(log, settings.folder("readers") / "log")
    peers = {"polars": formulations.polars_log, "DuckDB": formulations.duckdb_log}
    columns = ["job_id", "submit_s", "nodes", "walltime_s", "runtime_s"]
    return Kind(file.parent, file, "jobs", columns, len(log), peers)


def _edges(settings: Settings) -> Kind:
    _, edges = stand_ins.make("amazon", settings.size(SCALE, TINY_SCALE), seed=1)
    folder = settings.folder("readers") / "edges"
    folder.mkdir(exist_ok=True)
    frame = pl.DataFrame(edges, schema=["source", "target", "weight"], orient="row")
    frame.write_csv(folder / "edges.el", include_header=False, separator="\t")
    peers = {"polars": formulations.polars_edges, "DuckDB": formulations.duckdb_edges}
    return Kind(folder, folder / "edges.el", "edges", frame.columns, len(frame), peers)


def _beside(settings: Settings, name: str, kind: Kind) -> Iterator[Figure]:
    scratch = settings.folder("readers")
    ingested = scratch / f"{name}-ingested"
    calls: dict[str, Callable[[], object]] = {"ours": lambda: ingest(kind.drop, ingested)}
    for peer, read in kind.peers.items():
        calls[peer] = lambda peer=peer, read=read: read(kind.file, scratch / f"{name}-{peer}.parquet")
    times = alternating(calls, settings.runs, time.process_time)
    ours = _comparable(pl.read_parquet(ingested / f"{kind.table}.parquet", columns=kind.columns))
    yield rates(f"{name}, ours", kind.rows, times["ours"], "rows/s", "drop in, canonical tables out, checked")
    for peer in kind.peers:
        yield rates(f"{name}, {peer}", kind.rows, times[peer], "rows/s", "no row is checked")
        yield quotients(f"{name}, {peer} / ours", times[peer], times["ours"])
        yield _same(name, peer, ours, pl.read_parquet(scratch / f"{name}-{peer}.parquet"))
    try:
        target = scratch / f"{name}-pandas.parquet"
        runs = [
            formulations.pandas(name, settings.environments, kind.file, target, PEER_LIMIT_S)
            for _ in range(settings.long_runs)
        ]
    except (Unavailable, TimeoutError) as reason:
        yield Figure(f"{name}, pandas", [], "rows/s", str(reason))
        return
    taken = [run.cpu_s for run in runs]
    yield rates(f"{name}, pandas", kind.rows, taken, "rows/s", "no row is checked")
    yield quotients(f"{name}, pandas / ours", taken, times["ours"][: len(taken)])
    yield _same(name, "pandas", ours, runs[0].table)


def _same(name: str, peer: str, ours: pl.DataFrame, theirs: pl.DataFrame) -> Figure:
    return Figure(f"{name}, {peer}, same table as ours", [100 * float(ours.equals(_comparable(theirs)))], "%")


def _comparable(table: pl.DataFrame) -> pl.DataFrame:
    """The table as numbers in one order."""
    return table.select(pl.all().cast(pl.Float64)).sort(pl.all())
