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
    """What is replayed into one folder, `target`: a scheduler's scenarios on each `chunks`-th workload, the first of
    them `chunk`.
    """

    scheduler: str
    chunk: int
    chunks: int
    target: Path


def write_replay(study: str, scheduler: str, chunk: int, chunks: int, source: Path, target: Path) -> None:
    """Replay one scheduler's scenarios on every `chunks`-th workload; result tables as Parquet in folder `target`.

    The folder `source` holds the table of scenarios and the workloads that it names.
    """
    write_shares(study, [Share(scheduler, chunk, chunks, target)], source)


def write_shares(study: str, shares: list[Share], source: Path) -> None:
    """Replay the scenarios of all the shares, which lie in the folder `source` with their workloads.

    `versions.parquet` of each target says of each scenario what code ran it; a table without rows is no file. Where
    there is nothing to replay it is the only file, without rows. Where a drop cannot be replayed, the folders say why
    (failed).
    """
    manifest.require_whole(source)
    targets = [share.target for share in shares]
    failed.attempt(lambda: _write(study, shares, source), "replay", study, source.name, [source], targets)


def _write(study: str, shares: list[Share], source: Path) -> None:
    every = pl.read_parquet(source / "scenarios.parquet")
    taken = [_scenarios(share, every) for share in shares]
    scenarios = pl.concat(taken)
    results = _replayed(study, scenarios, source) if len(scenarios) else {}
    of_share = _divided(results, taken)
    for share, own_scenarios, tables in zip(shares, taken, of_share, strict=True):
        version = sources.version(sources.of_replay(study, share.scheduler)) if len(own_scenarios) else ""
        with manifest.replacing_folder(share.target) as folder:
            for name, frame in tables.items():
                storage.write(frame, folder / f"{name}.parquet")
            ran = own_scenarios.select("scenario_id", code_version=pl.lit(version))
            storage.write(ran, folder / "versions.parquet")


def _scenarios(share: Share, every: pl.DataFrame) -> pl.DataFrame:
    """The scenarios of a share among those of the part, in the order of their ids."""
    workloads = every["workload_id"].unique().sort().gather_every(share.chunks, share.chunk).implode()
    own = every.filter((pl.col("scheduler") == share.scheduler) & pl.col("workload_id").is_in(workloads))
    return own.sort("scenario_id")


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


class _Inputs:
    """Tables of workloads, of which each batch is given what it needs: a replay checks all that it is given."""

    def __init__(self, source: Path, workloads: pl.Series) -> None:
        """The tables of a folder, for the list of these workloads."""
        self.for_all: dict[str, pl.DataFrame] = {}
        self.parts: dict[str, dict[tuple, pl.DataFrame]] = {}
        self.empty: dict[str, pl.DataFrame] = {}
        for path in sorted(source.glob("*.parquet")):
            if path.stem == "scenarios":
                continue
            table = pl.scan_parquet(path)
            key = next((name for name in ("workload_id", "graph_id") if name in table.collect_schema()), None)
            if key is None:
                self.for_all[path.stem] = table.collect()
                continue
            # Only these rows are decoded.
            used = table.filter(pl.col(key).is_in(workloads)).collect()
            self.empty[path.stem], self.parts[path.stem] = used.clear(), used.partition_by(key, as_dict=True)

    def of(self, workloads: pl.Series) -> dict[str, pl.DataFrame]:
        """The rows of these workloads, and all of the tables that do not say of which their rows are."""
        own = {
            name: pl.concat([self.empty[name], *(parts[key] for each in workloads if (key := (each,)) in parts)])
            for name, parts in self.parts.items()
        }
        return self.for_all | own


def _replayed(study: str, scenarios: pl.DataFrame, source: Path) -> dict[str, pl.DataFrame]:
    """Result tables of the scenarios, batch by batch, with a line of progress each."""
    module = importlib.import_module(f"pipeline.studies.{study}")
    inputs = _Inputs(source, scenarios["workload_id"].unique().implode())
    batch = module.STUDY.batch
    began = time.perf_counter()
    results: dict[str, list[pl.DataFrame]] = {}
    for first in range(0, len(scenarios), batch):
        rows = scenarios.slice(first, batch)
        own = inputs.of(rows["workload_id"].unique(maintain_order=True))
        for name, frame in module.replay(own, rows).items():
            results.setdefault(name, []).append(frame)
        done = min(first + batch, len(scenarios))
        elapsed = time.perf_counter() - began
        log.info("%s: %d of %d scenarios, %.1f/s", study, done, len(scenarios), done / elapsed)
    return {name: pl.concat(frames) for name, frames in results.items()}
