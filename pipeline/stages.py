"""The scenarios stage, and the catalog of all drops' tables that it and the warehouse start from."""

from __future__ import annotations

import importlib
import json
import logging
from collections.abc import Iterable
from pathlib import Path

import polars as pl

from pipeline import storage, tables
from pipeline.config.sections import of_study, parse

log = logging.getLogger(__name__)


def table_files(folders: Iterable[Path]) -> dict[str, list[Path]]:
    """Files of each canonical table of all drops, by drop, from their folders of ingest and fit.

    A table that several folders of one drop hold (phases as given, phases as fitted) is taken from the last of them.
    """
    found: dict[tuple[str, str], Path] = {}
    for folder in folders:
        for name in tables.CANONICAL:
            if (folder / f"{name}.parquet").is_file():
                found[name, folder.name] = folder / f"{name}.parquet"
    return {name: [path for key, path in sorted(found.items()) if key[0] == name] for name in tables.CANONICAL}


def catalog(folders: Iterable[Path]) -> dict[str, pl.DataFrame]:
    """Canonical tables of all drops as studies take them.

    Of phases and profiles, which may be far larger than memory, only those of whole jobs (node null) are there; samples
    and the original ids of vertices are not.
    """
    return {
        name: pl.concat([tables.empty(tables.CANONICAL[name]), *(_read(name, path) for path in paths)])
        for name, paths in table_files(folders).items()
        if name not in ("samples", "vertex_ids")
    }


def _read(name: str, path: Path) -> pl.DataFrame:
    frame = pl.scan_parquet(path)
    return (frame.filter(pl.col("node").is_null()) if name in ("phases", "profiles") else frame).collect()


def write_scenarios(study: str, settings: Path, folders: Iterable[Path], target: Path, drop: str | None = None) -> None:
    """Workloads and scenario table of a study, as Parquet files of the folder `target`.

    They are those that hang on the jobs of one drop, or with None on no drop (synthetic ones); `folders` are the
    ingested and fitted drops that they may draw on.
    """
    module = importlib.import_module(f"pipeline.studies.{study}.workload")
    folders = list(folders)
    storage.require_whole(*folders)
    known = catalog(folders)
    given = parse(json.loads(settings.read_text(encoding="utf-8")), of_study(study))
    configuration = module.part(given, known, drop)
    workloads = module.workloads(configuration, known)
    scenarios = module.scenarios(configuration, workloads | known)

    with storage.replacing_folder(target) as folder:
        for name, frame in workloads.items():
            storage.write(frame, folder / f"{name}.parquet")
        storage.write(scenarios, folder / "scenarios.parquet")
    log.info("%s: %d scenarios on %d workloads", study, len(scenarios), scenarios["workload_id"].n_unique())
