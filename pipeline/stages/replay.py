"""The replay stage: schedulers' shares of a study's scenarios, from files to files.

Imports little: of each of these processes, of which there are many, starting up is the larger part.
"""

from __future__ import annotations

import importlib
import logging
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from pipeline.runtime import failed, manifest, sources, storage

log = logging.getLogger(__name__)


class Share(NamedTuple):
    """What is replayed into one folder, `target`: a scheduler's scenarios of the folder `source` on each `chunks`-th
    workload, the first of them `chunk`.
    """

    scheduler: str
    chunk: int
    chunks: int
    source: Path
    target: Path


def write_replay(
    study: str, scheduler: str, chunk: int, chunks: int, source: Path, target: Path, workloads: Path | None = None
) -> None:
    """Replay one scheduler's scenarios on every `chunks`-th workload; result tables as Parquet in folder `target`.

    `source` holds the table of scenarios, `workloads` (default: the same folder) the workloads that it names.
    """
    write_shares(study, [Share(scheduler, chunk, chunks, source, target)], workloads or source)


def write_shares(study: str, shares: list[Share], workloads: Path) -> None:
    """Replay the scenarios of all the shares, whose workloads lie in the folder `workloads`.

    `versions.parquet` of each target says of each scenario what code ran it; a table without rows is no file. Where
    there is nothing to replay it is the only file, without rows. Where a drop cannot be replayed, the folders say why
    (failed).
    """
    manifest.require_whole(workloads, *{share.source for share in shares})
    needed = {workloads, *(share.source for share in shares)}
    targets = [share.target for share in shares]
    failed.attempt(lambda: _write(study, shares, workloads), "replay", study, workloads.name, needed, targets)


def _write(study: str, shares: list[Share], workloads: Path) -> None:
    taken = [_scenarios(share) for share in shares]
    scenarios = pl.concat(taken, how="diagonal")
    results = _replayed(study, scenarios, workloads) if len(scenarios) else {}
    of_share = _divided(results, taken)
    for share, own_scenarios, tables in zip(shares, taken, of_share, strict=True):
        version = sources.version(sources.of_replay(study, share.scheduler)) if len(own_scenarios) else ""
        with manifest.replacing_folder(share.target) as folder:
            for name, frame in tables.items():
                storage.write(frame, folder / f"{name}.parquet")
            ran = own_scenarios.select("scenario_id", code_version=pl.lit(version))
            storage.write(ran, folder / "versions.parquet")


def _scenarios(share: Share) -> pl.DataFrame:
    """The scenarios of a share, in the order of their ids."""
    scenarios = pl.read_parquet(share.source / "scenarios.parquet")
    workloads = scenarios["workload_id"].unique().sort().gather_every(share.chunks, share.chunk).implode()
    scenarios = scenarios.filter((pl.col("scheduler") == share.scheduler) & pl.col("workload_id").is_in(workloads))
    return scenarios.sort("scenario_id")


def _divided(results: dict[str, pl.DataFrame], taken: list[pl.DataFrame]) -> list[dict[str, pl.DataFrame]]:
    """The rows of each table that belong to each of the frames of scenarios; tables without rows are left out."""
    owner = pl.concat([part.select(value="scenario_id", share=pl.lit(k, pl.Int32)) for k, part in enumerate(taken)])
    divided: list[dict[str, pl.DataFrame]] = [{} for _ in taken]
    for name, frame in results.items():
        # Most rows follow one of the same scenario: one look-up for each row would take longest.
        runs = frame["scenario_id"].rle().struct.unnest().join(owner, on="value", how="left", maintain_order="left")
        share_of_row = np.repeat(runs["share"].to_numpy(), runs["len"].to_numpy())
        for share, tables in enumerate(divided):
            rows = frame.filter(share_of_row == share)
            if len(rows):
                tables[name] = rows
    return divided


def _used(table: pl.LazyFrame, workloads: pl.Series) -> pl.DataFrame:
    """Rows of a table that belong to the workloads, or all where it does not say; only these are decoded."""
    names = table.collect_schema().names()
    key = next((name for name in ("workload_id", "graph_id") if name in names), None)
    return (table if key is None else table.filter(pl.col(key).is_in(workloads))).collect()


def _replayed(study: str, scenarios: pl.DataFrame, source: Path) -> dict[str, pl.DataFrame]:
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
        log.info("%s: %d of %d scenarios, %.1f/s", study, done, len(scenarios), done / elapsed)
    return {name: pl.concat(frames) for name, frames in results.items()}
