"""The stages between files: scenarios of a study, and replays of a scheduler's share of them."""

from __future__ import annotations

import importlib
import json
import logging
import time
from collections.abc import Iterable
from pathlib import Path

import polars as pl

from pipeline import config, sources, storage, tables

log = logging.getLogger(__name__)

BATCH = 64
"""Scenarios that are replayed between two lines of progress."""


def catalog(folders: Iterable[Path]) -> dict[str, pl.DataFrame]:
    """Canonical tables of all drops, from their folders of ingest and fit.

    A table that several folders of one drop hold (phases as given, phases as fitted) is taken from the last of them.
    """
    found: dict[tuple[str, str], Path] = {}
    for folder in folders:
        for name in tables.CANONICAL:
            if name != "samples" and (folder / f"{name}.parquet").is_file():
                found[name, folder.name] = folder / f"{name}.parquet"
    return {
        name: pl.concat([tables.empty(schema), *(pl.read_parquet(p) for k, p in sorted(found.items()) if k[0] == name)])
        for name, schema in tables.CANONICAL.items()
        if name != "samples"
    }


def write_scenarios(study: str, settings: Path, folders: Iterable[Path], target: Path) -> None:
    """Workloads and scenario table of a study, as Parquet files of the folder `target`."""
    module = importlib.import_module(f"pipeline.studies.{study}")
    configuration = config.parse(json.loads(settings.read_text(encoding="utf-8")))
    known = catalog(folders)
    workloads = module.workloads(configuration, known)
    scenarios = module.scenarios(configuration, workloads | known)

    with storage.replacing_folder(target) as folder:
        for name, frame in workloads.items():
            storage.write(frame, folder / f"{name}.parquet")
        storage.write(scenarios, folder / "scenarios.parquet")
    log.info("%s: %d scenarios on %d workloads", study, len(scenarios), scenarios["workload_id"].n_unique())


def write_replay(study: str, scheduler: str, chunk: int, chunks: int, source: Path, target: Path) -> None:
    """Replay one scheduler's scenarios on every `chunks`-th workload; result tables as Parquet in folder `target`."""
    module = importlib.import_module(f"pipeline.studies.{study}")
    scenarios = pl.read_parquet(source / "scenarios.parquet")
    mine = scenarios["workload_id"].unique().sort().gather_every(chunks, chunk).implode()
    scenarios = scenarios.filter((pl.col("scheduler") == scheduler) & pl.col("workload_id").is_in(mine))
    scenarios = scenarios.sort("scenario_id")
    used = scenarios["workload_id"].unique().implode()
    inputs = {
        path.stem: pl.read_parquet(path).filter(pl.col("workload_id").is_in(used))
        for path in sorted(source.glob("*.parquet"))
        if path.stem != "scenarios"
    }
    began = time.perf_counter()
    results: dict[str, list[pl.DataFrame]] = {}
    # An empty first batch gives every table its columns where there is nothing to replay.
    for first in range(0, max(len(scenarios), 1), BATCH):
        for name, frame in module.replay(inputs, scenarios.slice(first, BATCH)).items():
            results.setdefault(name, []).append(frame)
        done = min(first + BATCH, len(scenarios))
        elapsed = time.perf_counter() - began
        log.info("%s: %d of %d scenarios, %.1f/s", scheduler, done, len(scenarios), done / elapsed)
    version = sources.version(sources.of_replay(study, scheduler))
    ran = scenarios.select("scenario_id", code_version=pl.lit(version))

    with storage.replacing_folder(target) as folder:
        for name, frames in results.items():
            storage.write(pl.concat(frames), folder / f"{name}.parquet")
        storage.write(ran, folder / "versions.parquet")
