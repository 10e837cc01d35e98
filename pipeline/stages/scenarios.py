"""The scenarios stage: workloads, and one row per run."""

from __future__ import annotations

import importlib
import json
import logging
from collections.abc import Iterable
from pathlib import Path

from pipeline.config.sections import of_study, parse
from pipeline.runtime import failed, manifest, storage
from pipeline.tables.catalog import catalog

log = logging.getLogger(__name__)


def write_scenarios(study: str, settings: Path, folders: Iterable[Path], target: Path, drop: str | None = None) -> None:
    """Workloads and scenario table of a study, as Parquet files of the folder `target`.

    They are those that depend on the jobs of one drop, or with None on no drop (synthetic ones); `folders` are the
    ingested and fitted drops that they may draw on. Where they cannot be made of a drop, the folder says why (failed).
    """
    folders = list(folders)
    manifest.require_whole(*folders)
    needed = [folder for folder in folders if folder.name == drop]
    failed.attempt(
        lambda: _write(study, settings, folders, target, drop), "scenarios", study, target.name, needed, [target]
    )


def _write(study: str, settings: Path, folders: list[Path], target: Path, drop: str | None) -> None:
    module = importlib.import_module(f"pipeline.studies.{study}.workload")
    known = catalog(folders)
    given = parse(json.loads(settings.read_text(encoding="utf-8")), of_study(study))
    configuration = module.part(given, known, drop)
    workloads = module.workloads(configuration, known)
    scenarios = module.scenarios(configuration, workloads | known)

    with manifest.replacing_folder(target) as folder:
        for name, frame in workloads.items():
            storage.write(frame, folder / f"{name}.parquet")
        storage.write(scenarios, folder / "scenarios.parquet")
    log.info("%s: %d scenarios on %d workloads", study, len(scenarios), scenarios["workload_id"].n_unique())
