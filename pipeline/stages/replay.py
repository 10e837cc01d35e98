"""The replay stage: one scheduler's share of a study's scenarios, from files to files.

Imports little: of each of these processes, of which there are many, starting up is the larger part.
"""

from __future__ import annotations

import importlib
import logging
import time
from pathlib import Path

import polars as pl

from pipeline.runtime import sources, storage

log = logging.getLogger(__name__)


def write_replay(
    study: str, scheduler: str, chunk: int, chunks: int, source: Path, target: Path, workloads: Path | None = None
) -> None:
    """Replay one scheduler's scenarios on every `chunks`-th workload; result tables as Parquet in folder `target`.

    `source` holds the table of scenarios, `workloads` (default: the same folder) the workloads that it names.
    `versions.parquet` says of each scenario what code ran it, and which files the folder has to hold. Where there is
    nothing to replay it is the only file, without rows.
    """
    storage.require_whole(source, *([workloads] if workloads else []))
    scenarios = pl.read_parquet(source / "scenarios.parquet")
    mine = scenarios["workload_id"].unique().sort().gather_every(chunks, chunk).implode()
    scenarios = scenarios.filter((pl.col("scheduler") == scheduler) & pl.col("workload_id").is_in(mine))
    scenarios = scenarios.sort("scenario_id")
    version = sources.version(sources.of_replay(study, scheduler)) if len(scenarios) else ""
    results = _replayed(study, scheduler, scenarios, workloads or source) if len(scenarios) else {}
    files = pl.lit([f"{name}.parquet" for name in results], pl.List(pl.String))
    ran = scenarios.select("scenario_id", code_version=pl.lit(version), files=files)
    with storage.replacing_folder(target) as folder:
        for name, frames in results.items():
            storage.write(pl.concat(frames), folder / f"{name}.parquet")
        storage.write(ran, folder / "versions.parquet")


def _used(table: pl.LazyFrame, workloads: pl.Series) -> pl.DataFrame:
    """Rows of a table that belong to the workloads, or all where it does not say; only these are decoded."""
    names = table.collect_schema().names()
    key = next((name for name in ("workload_id", "graph_id") if name in names), None)
    return (table if key is None else table.filter(pl.col(key).is_in(workloads))).collect()


def _replayed(study: str, scheduler: str, scenarios: pl.DataFrame, source: Path) -> dict[str, list[pl.DataFrame]]:
    """Result tables of the scenarios, batch by batch, with a line of progress each."""
    module = importlib.import_module(f"pipeline.studies.{study}")
    used = scenarios["workload_id"].unique().implode()
    inputs = {
        path.stem: _used(pl.scan_parquet(path), used)
        for path in sorted(source.glob("*.parquet"))
        if path.stem != "scenarios"
    }
    batch = module.STUDY.batch
    began = time.perf_counter()
    results: dict[str, list[pl.DataFrame]] = {}
    for first in range(0, len(scenarios), batch):
        for name, frame in module.replay(inputs, scenarios.slice(first, batch)).items():
            results.setdefault(name, []).append(frame)
        done = min(first + batch, len(scenarios))
        elapsed = time.perf_counter() - began
        log.info("%s: %d of %d scenarios, %.1f/s", scheduler, done, len(scenarios), done / elapsed)
    return results
